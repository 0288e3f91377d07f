import type { MigrationInterface, QueryRunner } from 'typeorm';

// What is on record of the runs of flows that have control. Runs of other flows have no rows here. `concurrency`, `rate`
// and `gathers` name what the run shares with others, each the hash of a flow, a rule and a key. The rows have no
// foreign keys: flow_run is partitioned, and a duty removes the rows of runs that have ended.
const FLOW_CONTROL = `
  create table flow_control_run (
    run_id uuid primary key,
    flow_id uuid not null,
    state text not null,
    epoch integer not null,
    demand json not null,
    concurrency uuid,
    rate uuid,
    gathers uuid,
    since timestamptz not null,
    due timestamptz,
    reason text
  );
  create index flow_control_line_concurrency on flow_control_run (concurrency, run_id)
    where state = 'waiting' and concurrency is not null;
  create index flow_control_line_rate on flow_control_run (rate, run_id) where state = 'waiting' and rate is not null;
  create index flow_control_places on flow_control_run (concurrency, run_id)
    where state = 'admitted' and concurrency is not null;
  create index flow_control_gathered on flow_control_run (gathers, run_id) where state = 'gathering';
  create index flow_control_holders on flow_control_run (run_id) where state in ('admitted', 'paused');
  create index flow_control_due on flow_control_run (due) where due is not null;

  create table flow_control_start (
    resource uuid not null,
    run_id uuid not null,
    at timestamptz not null,
    expires timestamptz not null,
    primary key (resource, run_id)
  );
  create index flow_control_start_at on flow_control_start (resource, at);
  create index flow_control_start_expires on flow_control_start (expires);

  create table flow_control_first (
    resource uuid not null,
    came timestamptz not null,
    run_id uuid not null,
    expires timestamptz not null,
    primary key (resource, came, run_id)
  );
  create index flow_control_first_expires on flow_control_first (expires)`;

export class FlowControl1790660000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(FLOW_CONTROL);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table flow_control_run, flow_control_start, flow_control_first');
  }
}
