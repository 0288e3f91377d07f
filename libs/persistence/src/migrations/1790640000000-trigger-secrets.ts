import type { MigrationInterface, QueryRunner } from 'typeorm';

// The secrets of triggers, sealed. The versions of the flow refer to them by their ids, so a secret stays as long as any
// version does.
const TRIGGER_SECRET = `
  create table trigger_secret (
    flow_id uuid not null references flow (id) on delete cascade,
    id uuid not null,
    value bytea not null,
    primary key (flow_id, id)
  );
`;

// Intake reads the input of a flow's trigger for the check of its sender. It is copied when the version is written,
// because reading one member of a large version's JSON reads all of it.
const TRIGGER_INPUT = `
  alter table flow_version add trigger_input json generated always as (trigger #> '{settings,input}') stored;
`;

export class TriggerSecrets1790640000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TRIGGER_SECRET);
    await runner.query(TRIGGER_INPUT);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table flow_version drop trigger_input');
    await runner.query('drop table trigger_secret');
  }
}
