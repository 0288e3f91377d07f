import type { FlowFilter, PageRequest } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import type { Statement } from '../lists/list-statement';
import { dataSourceOptions } from '../modules/data-source';
import { aSecretBox } from '../testing/a-secret-box';
import { explained } from '../testing/explained';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { vacuumTables } from '../testing/vacuum-tables';
import { countStatement, listStatement } from './flow-list.statements';
import { PostgresFlowRepository } from './postgres-flow.repository';

const FLOWS = 100_000;
/** Pages of 8 kB: the number of pages of the index of names, with some to spare. */
const LIMIT_PAGES = 3_000;
/** What the parts of a list hand on: a name that is neither rare nor frequent is looked for in one index, part by part. */
const LIMIT_ROWS = 250_000;

/**
 * Of the 100,000 flows, the oldest 100 are enabled, and 100 others have a locked latest version; the oldest half is in
 * one folder, and its names say so. All use the connection `slack`, 1 in 1,000 `rare`, the oldest half `old`, which is
 * also their agent.
 */
const SEED = [
  `create function seeded(prefix text, n int) returns uuid language sql immutable as
   $$ select (prefix || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$`,
  `insert into flow_version
   select seeded('0199f000-0001', n), seeded('0199f000-0000', n), 'Order ' || n || ' (100%)', '{"type":"EMPTY"}', true,
     '20', case when n between 101 and 200 then 'LOCKED' else 'DRAFT' end, '[]', now(), now(), 'seed'
   from generate_series(1, ${FLOWS}) n`,
  `insert into flow (id, project_id, external_id, owner_id, folder_id, status, operation_status, created, updated,
     updated_by, latest_version_id, version_state, search_name)
   select seeded('0199f000-0000', n), $1::uuid, case when n > 90000 then 'same' else 'flow ' || n end, $1::uuid,
     case when n <= ${FLOWS / 2} then $2::uuid end,
     case when n <= 100 then 'ENABLED' else 'DISABLED' end, 'NONE', now(), now(), 'seed', seeded('0199f000-0001', n),
     case when n between 101 and 200 then 'LOCKED' else 'DRAFT' end, 'order ' || n || ' (100%)' || case when n <= 50000 then ' berlin' else '' end
   from generate_series(1, ${FLOWS}) n`,
  `insert into flow_use
   select $1::uuid, kind, use, seeded('0199f000-0000', n)
   from generate_series(1, ${FLOWS}) n, (values ('CONNECTION', 'slack', 1, 1), ('CONNECTION', 'rare', 1000, 1), ('CONNECTION', 'old', 1, 2), ('AGENT', 'old', 1, 2))
     as uses (kind, use, every, part)
   where n % every = 0 and n <= ${FLOWS} / part`,
];

/** The connection has no statement time-out, because a busy machine may take long. */
async function fill(url: string, projectId: string, folderId: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `insert into folder (id, project_id, display_name, name_key, created, updated)
       values ($1, $2, 'Old', 'old', now(), now())`,
      [folderId, projectId],
    );
    // The index is made after the rows are inserted, which is much faster.
    const index = await client.query<{ sql: string }>(`select pg_get_indexdef('flow_name_grams'::regclass) as sql`);
    await client.query('drop index flow_name_grams');
    for (const statement of SEED)
      await client.query(statement, [projectId, folderId].slice(0, new Set(statement.match(/\$\d/g)).size));
    await client.query(index.rows[0]?.sql ?? '');
  } finally {
    await client.end();
  }
  await vacuumTables(url, ['flow', 'flow_use', 'flow_version']);
}

describe('lists of 100,000 flows', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let flows: PostgresFlowRepository;
  let projectId: string;
  const folderId = anId();

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'flow list test')).initialize();
    flows = new PostgresFlowRepository(dataSource, aSecretBox());
    projectId = await seedProject(dataSource);
    await fill(database.url, projectId, folderId);
  }, 240_000);
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const HUNDRED = Array.from({ length: 100 }, (_, i) => `flow ${i * 900}`);

  /** The filters, and how many flows match; a page has 100 flows. */
  const filters: [string, () => Partial<FlowFilter>, number][] = [
    ['no filter', () => ({}), FLOWS],
    ['enabled, the oldest hundred', () => ({ status: ['ENABLED'] }), 100],
    ['disabled', () => ({ status: ['DISABLED'] }), FLOWS - 100],
    ['any status', () => ({ status: ['ENABLED', 'DISABLED'] }), FLOWS],
    ['locked', () => ({ versionState: 'LOCKED' }), 100],
    ['drafts', () => ({ versionState: 'DRAFT' }), FLOWS - 100],
    ['enabled and locked: none', () => ({ status: ['ENABLED'], versionState: 'LOCKED' }), 0],
    ['in the folder', () => ({ folderId }), FLOWS / 2],
    ['in no folder', () => ({ folderId: null }), FLOWS / 2],
    ['in a folder that is not there', () => ({ folderId: anId() }), 0],
    ['enabled in no folder: none', () => ({ folderId: null, status: ['ENABLED'] }), 0],
    ['enabled in the folder', () => ({ folderId, status: ['ENABLED'] }), 100],
    ['a name all have', () => ({ name: 'ORDER' }), FLOWS],
    ['a name of one letter', () => ({ name: 'o' }), FLOWS],
    ['two letters some names have', () => ({ name: '99' }), 3_691],
    ['a letter no name has', () => ({ name: 'Ж' }), 0],
    ['a name none has', () => ({ name: 'nowhere' }), 0],
    ['a name one has', () => ({ name: 'R 77 (' }), 1],
    ['a name some have', () => ({ name: '99 (1' }), FLOWS / 100],
    ['a percent sign, which is a letter', () => ({ name: '0%' }), FLOWS],
    ['a pattern, which is no pattern', () => ({ name: 'o%r' }), 0],
    ['an underscore, which is a letter', () => ({ name: 'order_1' }), 0],
    ['a backslash, which is a letter', () => ({ name: '\\' }), 0],
    ['a name in a status where none has it', () => ({ name: 'r 777 (', status: ['ENABLED'] }), 0],
    ['a name in the status where one has it', () => ({ name: 'r 77 (', status: ['ENABLED'] }), 1],
    ['a name none has, disabled', () => ({ name: 'nowhere', status: ['DISABLED'] }), 0],
    ['a name none has, in no folder', () => ({ name: 'nowhere', folderId: null }), 0],
    ['a hundred external ids', () => ({ externalIds: HUNDRED }), 99],
    ['the external id of ten thousand', () => ({ externalIds: ['same', 'same', 'unknown'] }), 10_000],
    ['a connection all use', () => ({ connectionExternalIds: ['slack'] }), FLOWS],
    ['a connection few use', () => ({ connectionExternalIds: ['rare'] }), 100],
    ['a connection old flows use', () => ({ connectionExternalIds: ['old'] }), FLOWS / 2],
    ['connections that overlap', () => ({ connectionExternalIds: ['slack', 'rare', 'old', ...HUNDRED] }), FLOWS],
    ['an agent old flows use', () => ({ agentExternalIds: ['old'] }), FLOWS / 2],
    ['an agent none uses', () => ({ agentExternalIds: ['unknown'] }), 0],
    ['connection and agent', () => ({ connectionExternalIds: ['rare'], agentExternalIds: ['old'] }), 50],
  ];

  it.each(filters)('are read without reading the table, forward and back: %s', async (_, filter, matching) => {
    const asked = { projectId, ...filter() };

    const { data, next } = await flows.list(asked, page());

    expect(data).toHaveLength(Math.min(matching, 100));
    expect(next === null).toBe(matching <= 100);
    const middle = flowId(FLOWS / 2);
    for (const edge of [{}, { before: middle }, { after: middle }]) {
      await expectFast(listStatement(asked, { ...edge, limit: 101 }));
    }
  });

  it('are read in one index when a name is neither rare nor among the newest', async () => {
    const { data } = await flows.list({ projectId, name: 'Berlin', folderId }, page());

    expect(data.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, i) => flowId(FLOWS / 2 - i)));
    await expectFewPages(listStatement({ projectId, name: 'Berlin' }, { limit: 101 }));
  });

  it.each([
    ['in all', () => ({}), FLOWS],
    ['in the folder', () => ({ folderId }), FLOWS / 2],
    ['in no folder', () => ({ folderId: null }), FLOWS / 2],
  ])('are counted without reading the table: %s', async (_, place, expected) => {
    expect(await flows.count({ projectId, ...place() })).toBe(expected);
    await expectFewPages(countStatement({ projectId, ...place() }));
  });

  async function expectFast(statement: Statement | null): Promise<void> {
    if (!statement) return;
    const rows = await expectFewPages(statement);
    expect(rows).toBeLessThan(LIMIT_ROWS);
  }

  /** Returns the rows that the statement looks at. */
  async function expectFewPages(statement: Statement | null): Promise<number> {
    const { plan, pages, rows } = await explained(dataSource, statement);
    expect(plan).not.toMatch(/Seq Scan on flow/);
    expect(pages).toBeLessThan(LIMIT_PAGES);
    return rows;
  }
});

const page = (): PageRequest => ({ limit: 100, cursor: null });

/** Returns the id that `seeded` makes in SQL. */
const flowId = (n: number): string => `0199f000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
