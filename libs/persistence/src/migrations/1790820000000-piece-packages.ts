import type { MigrationInterface, QueryRunner } from 'typeorm';

// The packages of pieces. A row is WANTED until a worker has installed it (INSTALLED) or could not (FAILED). A row stays
// when its package is removed (REMOVED), because `integrity` is the hash that the name and version have for ever.
// `wanted_integrity` and `sent_archive_id` say what a WANTED one must be, and where the archive is that somebody sent.
// A claim has an epoch, and at `due_at` the job or the worker of a WANTED row counts as lost.
const PIECE_PACKAGES = `
  create table piece_package (
    id uuid primary key,
    name text not null,
    version text not null,
    state text not null,
    integrity text,
    archive_id uuid,
    bytes bigint,
    description json,
    problem text,
    problem_code text,
    wanted_integrity text,
    sent_archive_id uuid,
    epoch int not null default 1,
    attempts int not null default 0,
    due_at timestamptz,
    created timestamptz not null default now(),
    updated timestamptz not null default now(),
    constraint piece_package_ref unique (name, version)
  );
  create index piece_package_due on piece_package (due_at) where state = 'WANTED'`;

export class PiecePackages1790820000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PIECE_PACKAGES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table piece_package');
  }
}
