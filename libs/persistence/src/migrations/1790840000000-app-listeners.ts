import type { MigrationInterface, QueryRunner } from 'typeorm';

// The events of apps to which flows listen. An event of an app comes with the name of its piece, its own name, and the
// identifier of whose event it is, such as that of a workspace.
const APP_LISTENERS = `
  create table app_listener (
    flow_id uuid not null references flow (id) on delete cascade,
    piece_name text not null,
    event text not null,
    identifier_value text not null,
    primary key (flow_id, piece_name, event, identifier_value)
  );
  create index app_listener_event on app_listener (piece_name, event, identifier_value)`;

export class AppListeners1790840000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(APP_LISTENERS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table app_listener');
  }
}
