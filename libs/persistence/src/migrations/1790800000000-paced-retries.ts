import type { MigrationInterface, QueryRunner } from 'typeorm';

// Bulk retries that start so many runs a second. A claim (claimed_until, claim_epoch) gives one process the right to
// work on one. The row is written each second while it is running, so there is room for it on its page.
const PACED_RETRIES = `
  create table paced_retry (
    id uuid primary key,
    project_id uuid not null references project (id),
    status text not null,
    filter json not null,
    strategy text not null,
    rate_per_second int not null,
    stop_after_failures int,
    requested_by text not null,
    call_key text,
    total int not null,
    started int not null default 0,
    skipped int not null default 0,
    succeeded int not null default 0,
    failed int not null default 0,
    last_id uuid,
    slice uuid[] not null default '{}',
    unfinished uuid[] not null default '{}',
    is_all_found boolean not null default false,
    claimed_until timestamptz,
    claim_epoch int not null default 0,
    created timestamptz not null,
    updated timestamptz not null,
    finished timestamptz
  ) with (fillfactor = 50);
  create index paced_retry_project on paced_retry (project_id, id);
  create index paced_retry_running on paced_retry (project_id) where status = 'RUNNING';
  create unique index paced_retry_call on paced_retry (project_id, requested_by, call_key) where call_key is not null`;

export class PacedRetries1790800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PACED_RETRIES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table paced_retry');
  }
}
