import type { MigrationInterface, QueryRunner } from 'typeorm';

// Lists say what a version contains without reading its steps. Versions that are there already have null, and lists read
// their steps.

export class VersionContents1790790000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table flow_version add contents json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table flow_version drop contents');
  }
}
