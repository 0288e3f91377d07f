import type { MigrationInterface, QueryRunner } from 'typeorm';

// What the trigger of each flow waits for. The row stays when the flow is disabled, because a poll then goes on where
// it stopped, and it goes with the flow. `due_at` is the next instant at which the trigger has work. `claim_epoch`
// counts the claims of that work, and a claim that has run out at `claimed_until` may be taken again.
const TRIGGER_STATE = `
  create table trigger_state (
    flow_id uuid primary key references flow (id) on delete cascade,
    project_id uuid not null,
    flow_version_id uuid not null,
    kind text not null,
    is_enabled boolean not null,
    plan text not null,
    event_name text,
    due_at timestamptz,
    claim_epoch integer not null default 0,
    claimed_until timestamptz,
    updated timestamptz not null
  );
  create index trigger_state_due on trigger_state (kind, due_at) where is_enabled and due_at is not null;
  create index trigger_state_event on trigger_state (project_id, event_name) where is_enabled and event_name is not null;
`;

export class TriggerState1790600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TRIGGER_STATE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table trigger_state');
  }
}
