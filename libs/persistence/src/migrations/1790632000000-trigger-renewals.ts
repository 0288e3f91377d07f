import type { MigrationInterface, QueryRunner } from 'typeorm';

// When what a trigger has registered elsewhere is renewed. The row exists while the flow is enabled.
const TRIGGER_RENEWALS = `
  create table trigger_renewal (
    flow_id uuid primary key references flow (id) on delete cascade,
    project_id uuid not null,
    flow_version_id uuid not null,
    every_hours double precision not null,
    due_at timestamptz not null,
    claim_epoch integer not null default 0,
    failures integer not null default 0
  );
  create index trigger_renewal_due on trigger_renewal (due_at);
`;

export class TriggerRenewals1790632000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TRIGGER_RENEWALS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table trigger_renewal');
  }
}
