import type { MigrationInterface, QueryRunner } from 'typeorm';

// A flow whose trigger polls has a memory of the items that it knows. It belongs to the record of the trigger, so that
// it survives republishing and disabling and goes with the flow. It refers to that record and not to the flow, because
// a poll locks the record and a change of the flow locks the flow first. A trigger that fails says so on its record.
const POLLS = `
  create table poll_memory (
    flow_id uuid primary key references trigger_state (flow_id) on delete cascade,
    memory bytea not null,
    updated timestamptz not null
  );
  alter table poll_memory alter column memory set storage external;

  alter table trigger_state
    add column failure text,
    add column failures integer not null default 0,
    add column failing_since timestamptz;
  create index trigger_state_claimed on trigger_state (kind, claimed_until) where claimed_until is not null;
`;

const REVERT = `
  drop index trigger_state_claimed;
  alter table trigger_state drop column failure, drop column failures, drop column failing_since;
  drop table poll_memory;
`;

export class Polls1790620000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(POLLS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(REVERT);
  }
}
