import type { MigrationInterface, QueryRunner } from 'typeorm';

// The last few events of a trigger, from tests of its flow. The payload has the form of the payloads of runs.
const TRIGGER_EVENTS = `
  create table trigger_event (
    id uuid primary key,
    flow_id uuid not null references flow (id) on delete cascade,
    payload bytea not null,
    created timestamptz not null
  );
  alter table trigger_event alter column payload set storage external;
  create index trigger_event_flow on trigger_event (flow_id, id);
`;

export class TriggerEvents1790631000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TRIGGER_EVENTS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table trigger_event');
  }
}
