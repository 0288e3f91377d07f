import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When somebody used the bundle last, to within an hour: what no version uses is deleted after a while. */
export class UsedCodeBundles1790560000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table code_bundle add column used_at timestamptz not null default now()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table code_bundle drop column used_at');
  }
}
