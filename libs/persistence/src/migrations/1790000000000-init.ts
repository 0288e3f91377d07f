import type { MigrationInterface, QueryRunner } from 'typeorm';

// Ids are UUIDv7, so the primary key is the order of creation. JSON that people wrote is `json`, not `jsonb`: the order
// of keys is theirs. Step data is `bytea`, written and compressed by us. The hot tables have no foreign keys: every
// insert would look the parent up, and runs outlive their flow.

const IDENTITY = `
  create table app_user (
    id uuid primary key,
    email text not null,
    first_name text not null,
    last_name text not null,
    platform_role text not null,
    password_hash text not null,
    created timestamptz not null
  );
  create unique index app_user_email on app_user (lower(email));

  create table project (
    id uuid primary key,
    display_name text not null,
    owner_id uuid not null references app_user (id),
    created timestamptz not null,
    updated timestamptz not null
  );
  create index project_owner on project (owner_id, id);

  create table api_key (
    id uuid primary key,
    display_name text not null,
    project_id uuid references project (id),
    created_by uuid not null references app_user (id),
    hash text not null,
    last_four text not null,
    expires_at timestamptz,
    last_used_at timestamptz,
    created timestamptz not null
  );
  create unique index api_key_hash on api_key (hash);
  create index api_key_project on api_key (project_id, id);
`;

// A version outlives its flow, because the runs that executed it still show its name.
const FLOWS = `
  create table flow (
    id uuid primary key,
    project_id uuid not null references project (id),
    external_id text not null,
    owner_id uuid not null,
    folder_id uuid,
    status text not null,
    published_version_id uuid,
    metadata json,
    operation_status text not null,
    time_saved_per_run double precision,
    template_id text,
    created timestamptz not null,
    updated timestamptz not null
  );
  create index flow_project on flow (project_id, id);

  create table flow_version (
    id uuid primary key,
    flow_id uuid not null,
    display_name text not null,
    trigger json not null,
    valid boolean not null,
    schema_version text not null,
    state text not null,
    notes json not null,
    created timestamptz not null,
    updated timestamptz not null,
    updated_by text not null
  );
  create index flow_version_flow on flow_version (flow_id, id);
`;

// A run's row is written two or three times in its life: the space left in each page keeps those writes in place.
const RUNS = `
  create table flow_run (
    id uuid primary key,
    project_id uuid not null,
    flow_id uuid not null,
    flow_version_id uuid not null,
    status text not null default 'RUNNING',
    environment text not null,
    triggered_by text not null,
    trigger_type text not null,
    epoch int not null default 0,
    lease_until timestamptz,
    start_time timestamptz,
    finish_time timestamptz,
    steps_count int not null default 0,
    failed_step json,
    status_reason text,
    tags text[] not null default '{}',
    archived_at timestamptz,
    idempotency_key text,
    job_id uuid not null,
    parent_run_id uuid,
    fail_parent_on_failure boolean not null default false,
    retry_of_run_id uuid,
    updated timestamptz not null,
    payload bytea
  ) with (fillfactor = 75);
  alter table flow_run alter column payload set storage external;
  create index flow_run_project on flow_run (project_id, id);
  create index flow_run_flow on flow_run (flow_id, id);
  create index flow_run_unfinished on flow_run (id) where status = 'RUNNING';
  create unique index flow_run_idempotency on flow_run (flow_id, idempotency_key) where idempotency_key is not null;
`;

// Retention drops a day's partition instead of deleting rows. The partitions of the days ahead are made as time goes on
// (segment-partitions.ts); what finds none falls into the default one and is moved when its day's partition is made.
// A segment that fits a page stays in the row: a segment is written once, and a second table would cost it twice.
const JOURNAL = `
  create table run_segment (
    run_id uuid not null,
    seq int not null,
    records bytea not null,
    primary key (run_id, seq)
  ) partition by range (run_id);
  alter table run_segment alter column records set storage external;
  create table run_segment_default partition of run_segment default with (toast_tuple_target = 8160);
`;

export class Init1790000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const part of [IDENTITY, FLOWS, RUNS, JOURNAL]) await runner.query(part);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table run_segment, flow_run, flow_version, flow, api_key, project, app_user');
  }
}
