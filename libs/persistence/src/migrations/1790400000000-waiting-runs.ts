import type { MigrationInterface, QueryRunner } from 'typeorm';

// Constants as defaults: a run that never waits, has no parent and is not awaited writes none of these. paused_at stays
// when a wait ends, until a worker claims the run: time_counts_from is later by all that time then.
const RUNS = `
  alter table flow_run
    add depth smallint not null default 0,
    add is_awaited boolean not null default false,
    add time_counts_from timestamptz,
    add paused_at timestamptz,
    add worker_deaths smallint not null default 0,
    add parent_told boolean not null default false;
  create index flow_run_parent on flow_run (parent_run_id) where parent_run_id is not null;
  create index flow_run_untold on flow_run (id)
    where parent_run_id is not null and finish_time is not null and not parent_told;
`;

// One row per wait. due is null while nothing waits for the request yet: its links went out before. What is due ends
// the wait, or, with ends_run, the run. Rows go with the run's data.
const REQUESTS = `
  create table run_request (
    run_id uuid not null,
    request_id text collate "C" not null,
    project_id uuid not null,
    kind text not null,
    step_path text collate "C",
    created timestamptz not null,
    due timestamptz,
    ends_run boolean not null default false,
    request json,
    child_run_id uuid,
    ended_at timestamptz,
    ending bytea,
    primary key (run_id, request_id)
  ) with (fillfactor = 80);
  alter table run_request alter column ending set storage external;
  create index run_request_due on run_request (due) where ended_at is null and due is not null;
  create index run_request_child on run_request (child_run_id) where child_run_id is not null and ended_at is null;
`;

// The last response of a run for whoever waits for it just now, so that the run itself need not be read: kept for an hour.
const RESPONSES = `
  create table run_response (
    run_id uuid primary key,
    response bytea not null,
    created timestamptz not null
  );
  alter table run_response alter column response set storage external;
  create index run_response_created on run_response (created);
`;

export class WaitingRuns1790400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const part of [RUNS, REQUESTS, RESPONSES]) await runner.query(part);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table run_response, run_request;
      drop index flow_run_parent, flow_run_untold;
      alter table flow_run drop depth, drop is_awaited, drop time_counts_from, drop paused_at, drop worker_deaths,
        drop parent_told`);
  }
}
