import type { MigrationInterface, QueryRunner } from 'typeorm';

// The value is sealed: of what a connection holds the database knows nothing.
const CONNECTIONS = `
  create table connection (
    id uuid primary key,
    project_id uuid not null references project (id),
    external_id text collate "C" not null,
    display_name text not null,
    type text not null,
    value bytea not null,
    created timestamptz not null,
    updated timestamptz not null
  );
  alter table connection alter column value set storage external;
  create unique index connection_external on connection (project_id, external_id);
  create index connection_project on connection (project_id, id);
`;

// Written by steps, so it has no foreign keys, like the other tables that runs write. No index names what a change
// changes: with the space left in each page most changes stay in place. What belongs to one flow or run is listed, and
// removed, by its scope.
const STORE = `
  create table store_entry (
    id uuid primary key,
    project_id uuid not null,
    scope text not null,
    scope_id uuid not null,
    key text collate "C" not null,
    value bytea not null,
    revision int not null default 1,
    last_step_key text,
    created timestamptz not null,
    updated timestamptz not null
  ) with (fillfactor = 80);
  alter table store_entry alter column value set storage external;
  create unique index store_entry_place on store_entry (project_id, scope, scope_id, key);
  create index store_entry_project on store_entry (project_id, id);
  create index store_entry_scope on store_entry (scope_id, id);
`;

// Null in all runs but those that test one step alone: a null takes no room in the row.
const STEP_TESTS = 'alter table flow_run add test_step text';

export class Steps1790300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const part of [CONNECTIONS, STORE, STEP_TESTS]) await runner.query(part);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table flow_run drop test_step; drop table store_entry, connection');
  }
}
