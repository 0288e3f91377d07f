import type { MigrationInterface, QueryRunner } from 'typeorm';

// What lists of flows filter by is of the latest version; it is kept with the flow, so that a list reads one index from
// its newest entry on. A flow's row is rewritten with every edit: the space left in each page keeps most of those writes
// in place, and the indexes out of them.
const FOLDERS_AND_FLOWS = `
  create table folder (
    id uuid primary key,
    project_id uuid not null references project (id),
    display_name text not null,
    name_key text collate "C" not null,
    created timestamptz not null,
    updated timestamptz not null
  );
  create unique index folder_name on folder (project_id, name_key);
  create index folder_project on folder (project_id, id);

  alter table flow set (
    fillfactor = 80,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_insert_scale_factor = 0.01,
    autovacuum_analyze_scale_factor = 0.02
  );
  alter table flow
    add updated_by text,
    add revision int not null default 1,
    add latest_version_id uuid,
    add version_state text,
    add search_name text collate "C" not null default '',
    add place_id uuid not null generated always as (coalesce(folder_id, project_id)) stored;
  update flow set
    folder_id = null,
    updated_by = version.updated_by,
    latest_version_id = version.id,
    version_state = version.state
  from (select distinct on (flow_id) * from flow_version order by flow_id, id desc) version
  where version.flow_id = flow.id;
`;

const FLOW_RULES = `
  alter table flow
    alter updated_by set not null,
    alter latest_version_id set not null,
    alter version_state set not null,
    alter search_name drop default,
    add constraint flow_in_folder foreign key (folder_id) references folder (id) on delete set null;
`;

// A list reads ordered stretches of one index. `place_id` stands in for the folder, because an index is not read in order
// behind `is null`. A search for a name that many flows have reads `flow_name` until the page is full; one for a rare name
// asks for the flows that have its grams: one, two and three letters in a row, each with the end of the project's id, so
// that projects keep out of each other's way. An extension could do that too, but not every PostgreSQL has it.
const FLOW_LISTS = `
  drop index flow_project;
  create index flow_name on flow (project_id, id) include (search_name, status, version_state, place_id);
  create index flow_state on flow (project_id, status, version_state, id);
  create index flow_place on flow (place_id, status, version_state, id);
  create index flow_folder on flow (folder_id) where folder_id is not null;
  create index flow_external on flow (project_id, external_id, id);

  create function flow_name_grams(project_id uuid, name text) returns text[]
  language sql immutable strict parallel safe as $$
    select array(
      select gram || scope
      from (select string_to_array(name, null) as letters, right(project_id::text, 6) as scope offset 0) flow,
        unnest(
          letters
          || array(select a || b from unnest(letters, letters[2:]) as pairs (a, b))
          || array(select a || b || c from unnest(letters, letters[2:], letters[3:]) as triples (a, b, c))
        ) as grams (gram)
      where gram is not null
    )
  $$;
  create index flow_name_grams on flow using gin (flow_name_grams(project_id, search_name));
`;

// Which connections and agents the latest version of a flow uses.
const FLOW_USES = `
  create table flow_use (
    project_id uuid not null,
    kind text not null,
    external_id text collate "C" not null,
    flow_id uuid not null references flow (id) on delete cascade,
    primary key (project_id, kind, external_id, flow_id)
  );
  create index flow_use_flow on flow_use (flow_id);
`;

const TEMPLATES = `
  create table flow_template (
    id uuid primary key,
    project_id uuid not null references project (id),
    name text not null,
    description text not null,
    template json not null,
    created timestamptz not null,
    updated timestamptz not null
  );
  create index flow_template_project on flow_template (project_id, id);
`;

const SAMPLE_DATA = `
  create table sample_data (
    flow_id uuid not null references flow (id) on delete cascade,
    step_name text not null,
    type text not null,
    payload bytea not null,
    updated timestamptz not null,
    primary key (flow_id, step_name, type)
  );
  alter table sample_data alter column payload set storage external;
`;

// A record without a status code is a claim: its request has not been answered yet. The body is encrypted.
const IDEMPOTENCY = `
  create table idempotency_record (
    principal text not null,
    key text not null,
    request_hash text not null,
    claimed_at timestamptz not null,
    status_code int,
    headers json,
    body bytea,
    primary key (principal, key)
  );
  alter table idempotency_record alter column body set storage external;
  create index idempotency_record_age on idempotency_record (claimed_at);
`;

const BATCH = 100;

export class FlowEditing1790200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(FOLDERS_AND_FLOWS);
    await runner.query(FLOW_USES);
    await readLatestVersions(runner);
    for (const part of [FLOW_RULES, FLOW_LISTS, TEMPLATES, SAMPLE_DATA, IDEMPOTENCY]) await runner.query(part);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table idempotency_record, sample_data, flow_template, flow_use;
      drop index flow_name_grams, flow_name, flow_state, flow_place, flow_folder, flow_external;
      drop function flow_name_grams(uuid, text);
      create index flow_project on flow (project_id, id);
      alter table flow drop constraint flow_in_folder, drop place_id, drop updated_by, drop revision,
        drop latest_version_id, drop version_state, drop search_name;
      alter table flow reset (fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor,
        autovacuum_analyze_scale_factor);
      drop table folder`);
  }
}

interface LatestVersion {
  flowId: string;
  projectId: string;
  displayName: string;
  trigger: unknown;
}

/** Not in SQL: how PostgreSQL lowers letters depends on the locale of the database, and the uses are inside expressions. */
async function readLatestVersions(runner: QueryRunner): Promise<void> {
  for (let after: string | undefined = NO_ID; after;) {
    const versions = (await runner.query(LATEST_VERSIONS, [after])) as LatestVersion[];
    for (const { flowId, projectId, displayName, trigger } of versions) {
      const searchName = displayName.replaceAll('\0', '\ufffd').toLowerCase();
      await runner.query('update flow set search_name = $2 where id = $1', [flowId, searchName]);
      for (const [kind, ids] of [
        ['CONNECTION', connectionsIn(trigger)] as const,
        ['AGENT', agentsIn(trigger)] as const,
      ])
        await runner.query(ADD_USES, [flowId, projectId, kind, [...ids].filter(isStorable)]);
    }
    after = versions.at(-1)?.flowId;
  }
}

// The rules of that day in short, so that this migration does the same whatever the code becomes.

const NAMED_CONNECTION = /(?<![\w$.])connections\s*(?:\??\.?\s*\[\s*(['"`])([^'"`\\]*)\1\s*\]|\??\.\s*([\w$]+))/g;

function connectionsIn(value: unknown): Set<string> {
  const texts = stringsIn(value).filter((text) => text.includes('{{'));
  return new Set(
    texts.flatMap((text) => [...text.matchAll(NAMED_CONNECTION)].map(([, , id, name]) => id ?? name ?? '')),
  );
}

function agentsIn(value: unknown): Set<string> {
  const inputs = objectsIn(value)
    .filter(({ type }) => type === 'PIECE')
    .map(({ settings }) => inputOf(settings));
  const ids = inputs.flatMap((input) => [input['agentId'], input['agentExternalId']]);
  return new Set(ids.filter((id) => typeof id === 'string' && !id.includes('{{')) as string[]);
}

const inputOf = (settings: unknown): Record<string, unknown> =>
  (settings as { input?: Record<string, unknown> } | undefined)?.input ?? {};

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(stringsIn);
}

function objectsIn(value: unknown): Record<string, unknown>[] {
  if (value === null || typeof value !== 'object') return [];
  const inside = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inside : [value as Record<string, unknown>, ...inside];
}

const isStorable = (id: string): boolean => id !== '' && id.length <= 500 && !id.includes('\0');

const ADD_USES = `
  insert into flow_use (flow_id, project_id, kind, external_id)
  select $1, $2, $3, * from unnest($4::text[])`;

const NO_ID = '00000000-0000-0000-0000-000000000000';

const LATEST_VERSIONS = `
  select flow.id as "flowId", project_id as "projectId", display_name as "displayName", trigger
  from flow join flow_version version on version.id = latest_version_id
  where flow.id > $1 order by flow.id limit ${BATCH}`;
