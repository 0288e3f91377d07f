import type { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS = `
  id, project_id, flow_id, flow_version_id, job_id, updated, start_time, finish_time, lease_until, time_counts_from,
  paused_at, archived_at, epoch, steps_count, depth, worker_deaths, fail_parent_on_failure, is_awaited, parent_told,
  status, environment, triggered_by, trigger_type, failed_step, status_reason, tags, parent_run_id, retry_of_run_id,
  test_step, payload`;

// Months, so that a year of lists is merged from twelve indexes, and old runs go by dropping a table. The partitions are
// made as time goes on (run-partitions.ts); what finds none falls into the default one. What is null in most rows
// comes last. `started_by_step` is the key of the step that started the run.
const RUNS = `
  alter table flow_run rename to flow_run_before;
  alter index flow_run_pkey rename to flow_run_before_pkey;
  drop index flow_run_unfinished, flow_run_idempotency, flow_run_parent, flow_run_untold,
    flow_run_project, flow_run_flow, flow_run_project_archived, flow_run_flow_archived,
    flow_run_project_testing, flow_run_flow_testing, flow_run_project_failed, flow_run_flow_failed;

  create table flow_run (
    id uuid primary key,
    project_id uuid not null,
    flow_id uuid not null,
    flow_version_id uuid not null,
    job_id uuid not null,
    updated timestamptz not null,
    start_time timestamptz,
    finish_time timestamptz,
    lease_until timestamptz,
    time_counts_from timestamptz,
    paused_at timestamptz,
    archived_at timestamptz,
    epoch int not null default 0,
    steps_count int not null default 0,
    depth smallint not null default 0,
    worker_deaths smallint not null default 0,
    fail_parent_on_failure boolean not null default false,
    is_awaited boolean not null default false,
    parent_told boolean not null default false,
    status text not null default 'RUNNING',
    environment text not null,
    triggered_by text not null,
    trigger_type text not null,
    failed_step json,
    status_reason text,
    tags text[] not null default '{}',
    parent_run_id uuid,
    retry_of_run_id uuid,
    started_by_step text,
    test_step text,
    payload bytea
  ) partition by range (id);
  alter table flow_run alter column payload set storage external;
  create table flow_run_default partition of flow_run default with (fillfactor = 75);
  insert into flow_run (started_by_step, ${COLUMNS})
    select case when idempotency_key like 'step:%' then substr(idempotency_key, 6) end, ${COLUMNS} from flow_run_before;
`;

// A run that has ended, or waits, is in two indexes besides that of its id. While it is RUNNING it is in three smaller
// ones, from which it disappears again: so each run costs one entry of a list, not one for each status that it had.
const INDEXES = `
  create index flow_run_unfinished on flow_run (id) where status = 'RUNNING';
  create index flow_run_project_running on flow_run (project_id, id) where status = 'RUNNING';
  create index flow_run_flow_running on flow_run (flow_id, id) where status = 'RUNNING';
  create index flow_run_project on flow_run (project_id, status, id) where archived_at is null and status <> 'RUNNING';
  create index flow_run_flow on flow_run (flow_id, status, id) where archived_at is null and status <> 'RUNNING';
  create index flow_run_project_archived on flow_run (project_id, status, id) where archived_at is not null;
  create index flow_run_flow_archived on flow_run (flow_id, status, id) where archived_at is not null;
  create index flow_run_project_testing on flow_run (project_id, status, (archived_at is null), id)
    where environment = 'TESTING';
  create index flow_run_flow_testing on flow_run (flow_id, status, (archived_at is null), id)
    where environment = 'TESTING';
  create index flow_run_project_failed on flow_run (project_id, left(failed_step ->> 'name', 200), (archived_at is null), id)
    where status = 'FAILED';
  create index flow_run_flow_failed on flow_run (flow_id, left(failed_step ->> 'name', 200), (archived_at is null), id)
    where status = 'FAILED';
  create index flow_run_parent on flow_run (parent_run_id) where parent_run_id is not null;
  create index flow_run_untold on flow_run (id)
    where parent_run_id is not null and finish_time is not null and not parent_told;
`;

// Which run has an idempotency key: two rows for each, of the day on which it came and of the next, so that whoever comes
// with the same key within 24 hours meets one of them (ADR 0024). The key is a hash.
const KEYS = `
  create table run_key (
    day date not null,
    flow_id uuid not null,
    key uuid not null,
    run_id uuid not null,
    primary key (flow_id, key, day)
  ) partition by range (day);
  create table run_key_default partition of run_key default;
  insert into run_key (day, flow_id, key, run_id)
    select day::date, flow_id, substr(encode(sha256(convert_to(idempotency_key, 'UTF8')), 'hex'), 1, 32)::uuid, id
    from flow_run_before cross join generate_series((now() at time zone 'utc')::date, (now() at time zone 'utc')::date + 1,
      interval '1 day') day
    where idempotency_key is not null and updated > now() - interval '2 days';
  drop table flow_run_before;
`;

const UNPARTITIONED = `
  alter table flow_run rename to flow_run_before;
  alter index flow_run_pkey rename to flow_run_before_pkey;
  drop index flow_run_unfinished, flow_run_project_running, flow_run_flow_running, flow_run_parent, flow_run_untold,
    flow_run_project, flow_run_flow, flow_run_project_archived, flow_run_flow_archived,
    flow_run_project_testing, flow_run_flow_testing, flow_run_project_failed, flow_run_flow_failed;
  create table flow_run (like flow_run_before including defaults including storage, primary key (id)) with (fillfactor = 75);
  alter table flow_run drop started_by_step, add idempotency_key text;
  insert into flow_run (${COLUMNS}) select ${COLUMNS} from flow_run_before;
  drop table flow_run_before, run_key;
  create index flow_run_unfinished on flow_run (id) where status = 'RUNNING';
  create unique index flow_run_idempotency on flow_run (flow_id, idempotency_key) where idempotency_key is not null;
  create index flow_run_parent on flow_run (parent_run_id) where parent_run_id is not null;
  create index flow_run_untold on flow_run (id)
    where parent_run_id is not null and finish_time is not null and not parent_told;
  create index flow_run_project on flow_run (project_id, status, id) where archived_at is null;
  create index flow_run_flow on flow_run (flow_id, status, id) where archived_at is null;
  create index flow_run_project_archived on flow_run (project_id, status, id) where archived_at is not null;
  create index flow_run_flow_archived on flow_run (flow_id, status, id) where archived_at is not null;
  create index flow_run_project_testing on flow_run (project_id, status, (archived_at is null), id)
    where environment = 'TESTING';
  create index flow_run_flow_testing on flow_run (flow_id, status, (archived_at is null), id)
    where environment = 'TESTING';
  create index flow_run_project_failed on flow_run (project_id, left(failed_step ->> 'name', 200), (archived_at is null), id)
    where status = 'FAILED';
  create index flow_run_flow_failed on flow_run (flow_id, left(failed_step ->> 'name', 200), (archived_at is null), id)
    where status = 'FAILED';
`;

export class PartitionedRuns1790500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const part of [RUNS, INDEXES, KEYS]) await runner.query(part);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(UNPARTITIONED);
  }
}
