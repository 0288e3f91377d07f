import type { MigrationInterface, QueryRunner } from 'typeorm';

// The bundle is compressed by us, like step data.
const CODE_BUNDLES = `
  create table code_bundle (
    source_hash text primary key,
    bundle bytea not null,
    created timestamptz not null default now()
  );
  alter table code_bundle alter column bundle set storage external;
`;

export class CodeBundles1790100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CODE_BUNDLES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table code_bundle');
  }
}
