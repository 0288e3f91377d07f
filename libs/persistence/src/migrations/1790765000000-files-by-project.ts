import type { MigrationInterface, QueryRunner } from 'typeorm';

// Finds the projects that have files, so that those of deleted projects are removed.
const FILES_BY_PROJECT = `create index file_project on file (project_id) where state = 'READY'`;

export class FilesByProject1790765000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(FILES_BY_PROJECT);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index file_project');
  }
}
