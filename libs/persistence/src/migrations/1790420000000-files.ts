import type { MigrationInterface, QueryRunner } from 'typeorm';

// What was begun and is not finished is noted in the row: a file that is being written or deleted is no file yet, or no
// more. `begun` is when that was; a row that stays so belongs to a process that died. Steps write files, so there are no
// foreign keys.
const FILES = `
  create table file (
    id uuid primary key,
    project_id uuid not null,
    type text not null,
    name text not null,
    content_type text not null,
    bytes bigint not null,
    run_id uuid,
    storage text not null,
    state text not null,
    begun timestamptz not null,
    created timestamptz not null
  );
  create index file_run on file (run_id, id) where run_id is not null;
  create index file_unfinished on file (begun) where state <> 'READY';
`;

// The content of files that are kept here, in pieces of a megabyte, so that nobody has to hold a whole one.
const CHUNKS = `
  create table file_chunk (
    file_id uuid not null,
    seq int not null,
    bytes bytea not null,
    primary key (file_id, seq)
  );
  alter table file_chunk alter column bytes set storage external;
`;

export class Files1790420000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const part of [FILES, CHUNKS]) await runner.query(part);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table file_chunk, file');
  }
}
