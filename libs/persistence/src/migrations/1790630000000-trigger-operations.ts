import type { MigrationInterface, QueryRunner } from 'typeorm';

// An operation calls hooks of the trigger of a flow. It does not refer to the flow, because what a deleted flow has
// registered elsewhere is still taken back. `due_at` is when its job is enqueued again, `expires_at` how long somebody
// waits for it. The failure of a hook is shown with its flow, also while the flow is disabled.
const TRIGGER_OPERATIONS = `
  create table trigger_operation (
    id uuid primary key,
    flow_id uuid not null,
    project_id uuid not null,
    kind text not null,
    status text not null default 'PENDING',
    triggers text not null,
    outcome text,
    attempts integer not null default 0,
    epoch integer not null default 1,
    due_at timestamptz not null,
    expires_at timestamptz,
    created timestamptz not null default now()
  );
  create unique index trigger_operation_flow on trigger_operation (flow_id) where kind <> 'TESTING';
  create index trigger_operation_due on trigger_operation (due_at);

  create table trigger_hook_failure (
    flow_id uuid primary key references flow (id) on delete cascade,
    message text not null,
    since timestamptz not null,
    failures integer not null
  );
`;

export class TriggerOperations1790630000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TRIGGER_OPERATIONS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table trigger_hook_failure, trigger_operation');
  }
}
