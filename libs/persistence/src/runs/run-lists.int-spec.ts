import {
  bucketEdges,
  MOST_RUNS_COUNTED,
  type FlowRunFilter,
  type FlowRunStatus,
  type PageRequest,
} from '@millrace/domain';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import type { Statement } from '../lists/list-statement';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { ensureRunPartitions } from '../postgres/run-partitions';
import { explained } from '../testing/explained';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { vacuumTables } from '../testing/vacuum-tables';
import { PostgresFlowRunRepository } from './postgres-flow-run.repository';
import { countStatement, findStatement, listStatement } from './run-list.statements';
import { boundedCount, pagesStatement, sampledShare, sampleStatement } from './run-histogram.statements';
import { summaryStatement } from './run-summary.statements';

/** 100,000 runs show the plans. A million runs, by hand, show the times of docs/performance.md. */
const RUNS = Number(process.env['MILLRACE_MANY_RUNS'] ?? 100_000);
/** Pages of 8 kB that the widest list needs: 100 runs in each of its sixteen index ranges, with some to spare. */
const LIMIT_PAGES = 5_000;
/** What the parts of the widest list hand on, with some to spare: a statement that looks at all would be far above it. */
const LIMIT_ROWS = 30_000;
/** The same of a count by time, which looks at a bounded number of runs of each status. */
const LIMIT_COUNTED_ROWS = 250_000;
const FIRST_MS = Date.parse('2026-01-01T00:00:00.000Z');
/** The distance between two runs. All runs are in one year, and so in twelve partitions. */
const APART_MS = Math.floor((364 * 24 * 60 * 60 * 1000) / RUNS);

/**
 * All runs are in one year. Every tenth failed, the newest 200 are running, the oldest 50 are paused, 1 in 1,000 was
 * stopped, and the others succeeded. 1 in 100 was started by the seventh run, 1 in 1,000 retries the tenth. The oldest 100 are of one flow, the others of ten in turn. Each second run that
 * succeeded is tagged `paid`, each of the oldest half `old`, 1 in 1,000 `rare`. Runs fail at `step_1` with two kinds
 * of messages in turn, but 1 in 1,000 at `rare_step`, and the oldest fifth at `old_step`, each with a kind of its own. 1 in 1,000 is a test. All of the oldest 60 % are archived but the
 * first 1,000.
 */
const SEED = [
  `create function seeded(n int) returns uuid language sql immutable as $$
     select (substr(at, 1, 8) || '-' || substr(at, 9) || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid
     from lpad(to_hex(${FIRST_MS} + ${APART_MS} * n::bigint), 12, '0') at $$`,
  `create function seeded_flow(n int) returns uuid language sql immutable as $$
     select ('0199f000-0000-7000-8000-' || lpad(case when n <= 100 then 'aa' else (n % 10)::text end, 12, '0'))::uuid $$`,
  `insert into flow_version
   select seeded_flow(n), seeded_flow(n), 'Orders', '{}', true, '20', 'LOCKED', '[]', now(), now(), 'seed'
   from generate_series(100, 110) n`,
  `insert into flow_run (id, project_id, flow_id, flow_version_id, status, environment, triggered_by, trigger_type,
     job_id, updated, start_time, finish_time, payload, failed_step, archived_at,
     parent_run_id, retry_of_run_id, tags)
   select seeded(n), $1::uuid, seeded_flow(n), seeded_flow(n), status,
     case when n % 1000 = 503 then 'TESTING' else 'PRODUCTION' end, 'webhook', 'WEBHOOK', $1::uuid, now(), now(), now(),
     decode(repeat('7b', 300), 'hex'),
     case status when 'FAILED' then json_build_object('name', case when n % 1000 = 0 then 'rare_step'
       when n <= ${RUNS / 5} then 'old_step' else 'step_1' end,
       'displayName', 'Step', 'message', 'Order ' || n || ' is unknown.', 'fingerprint', case when n % 1000 = 0 then 'rare'
       when n <= ${RUNS / 5} then 'old' when n % 20 = 0 then 'one' else 'other' end) end,
     case when n > 1000 and n <= ${RUNS * 0.6} then now() end,
     case when n % 100 = 7 then seeded(7) end, case when n % 1000 = 10 then seeded(10) end,
     array_remove(array[case when status = 'SUCCEEDED' and n % 2 = 0 then 'paid' end,
       case when n <= ${RUNS / 2} then 'old' end, case when n % 1000 = 777 then 'rare' end], null)
   from generate_series(1, ${RUNS}) n cross join lateral (select case when n <= 50 then 'PAUSED'
     when n > ${RUNS - 200} then 'RUNNING' when n % 1000 = 501 then 'STOPPED' when n % 10 = 0 then 'FAILED'
     else 'SUCCEEDED' end as status) as seeded`,
  `insert into run_tag select id, tag, project_id, flow_id, case status when 'RUNNING' then 'PAUSED' else status end,
     archived_at is not null
   from flow_run cross join unnest(tags) tag`,
];

const page = (): PageRequest => ({ limit: 100, cursor: null });

/** Returns the id that `seeded` makes in SQL. */
const runId = (n: number): string => {
  const time = (FIRST_MS + n * APART_MS).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`;
};
const flow = (last: string): string => `0199f000-0000-7000-8000-${last.padStart(12, '0')}`;
const at = (n: number): Date => new Date(FIRST_MS + n * APART_MS);
const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => runId(i * (RUNS / 100) + 5));

describe(`lists of ${RUNS} runs`, () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let runs: PostgresFlowRunRepository;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'run list test')).initialize();
    pool = openHotPool(database.url, 'run list test');
    runs = new PostgresFlowRunRepository(dataSource, pool);
    projectId = await seedProject(dataSource);
    await ensureRunPartitions(pool, new Date(FIRST_MS), 12);
    await seedRuns();
  }, 300_000);
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });

  /** Indexes are made after the rows are inserted, which is much faster. */
  async function seedRuns(): Promise<void> {
    const runner = dataSource.createQueryRunner();
    await runner.query('set statement_timeout = 0');
    const indexes: { name: string; sql: string }[] = await runner.query(
      `select indexrelid::regclass as name, pg_get_indexdef(indexrelid) as sql from pg_index
       where indrelid in ('flow_run'::regclass, 'run_tag'::regclass) and not indisprimary`,
    );
    for (const { name } of indexes) await runner.query(`drop index ${name}`);
    for (const statement of SEED) await runner.query(statement, statement.includes('$1') ? [projectId] : []);
    for (const { sql } of indexes) await runner.query(sql.replace(' ON ONLY ', ' ON '));
    await runner.release();
    await vacuumTables(database.url, ['flow_run', 'run_tag', 'flow_version']);
  }

  const flowId = flow('aa');
  const TENTH = RUNS / 10;

  /** The filters, and how many runs match; a page has 100 runs. */
  const filters: [string, () => Partial<FlowRunFilter>, number][] = [
    ['no filter', () => ({}), RUNS * 0.4 + 1000],
    ['with archived', () => ({ includeArchived: true }), RUNS],
    ['a rare status of the oldest', () => ({ status: ['PAUSED'] }), 50],
    ['a status none has', () => ({ status: ['TIMEOUT'] }), 0],
    ['statuses, rare and common', () => ({ status: ['PAUSED', 'STOPPED', 'FAILED', 'SUCCEEDED'] }), RUNS * 0.4 + 800],
    ['a flow of the oldest', () => ({ flowId }), 100],
    ['a flow of the oldest, failed', () => ({ flowId, status: ['FAILED'] }), 5],
    ['a flow', () => ({ flowId: flow('3') }), TENTH * 0.4 + 90],
    ['a flow, archived too, running', () => ({ flowId: flow('3'), status: ['RUNNING'], includeArchived: true }), 20],
    ['a flow that never fails', () => ({ flowId: flow('3'), status: ['FAILED'], includeArchived: true }), 0],
    ['a common tag', () => ({ tags: ['paid'] }), RUNS * 0.16 + 300],
    ['a rare tag', () => ({ tags: ['rare'] }), (RUNS / 1000) * 0.4 + 1],
    ['a tag that only old runs have', () => ({ tags: ['old'] }), 1000],
    ['a tag that none has', () => ({ tags: ['none'] }), 0],
    ['a common tag and a rare one', () => ({ tags: ['old', 'paid', 'rare'], includeArchived: true }), 0],
    ['a common tag in a rare status', () => ({ tags: ['old'], status: ['PAUSED'] }), 50],
    ['a common tag in a common status that none has', () => ({ tags: ['paid'], status: ['FAILED'] }), 0],
    [
      'a common tag of a flow that never has it',
      () => ({ tags: ['paid'], flowId: flow('3'), includeArchived: true }),
      0,
    ],
    [
      'a rare tag in a common status',
      () => ({ tags: ['rare'], status: ['SUCCEEDED'], includeArchived: true }),
      RUNS / 1000,
    ],
    ['a failed step', () => ({ failedStepName: 'step_1' }), RUNS * 0.04 - RUNS / 2_500 - 19],
    ['a rare failed step', () => ({ failedStepName: 'rare_step' }), (RUNS / 1000) * 0.4],
    ['a failed step of old runs', () => ({ failedStepName: 'old_step' }), 94],
    ['a failed step that is not there', () => ({ failedStepName: 'none' }), 0],
    ['a failed step of a run that is not failed', () => ({ failedStepName: 'step_1', status: ['STOPPED'] }), 0],
    ['a failed step of a flow', () => ({ failedStepName: 'old_step', flowId: flow('0') }), 89],
    ['a failed step of a flow that never fails', () => ({ failedStepName: 'step_1', flowId: flow('3') }), 0],
    ['a failed step and a rare tag: none', () => ({ failedStepName: 'step_1', tags: ['rare'] }), 0],
    [
      'a rare failed step and a common tag',
      () => ({ failedStepName: 'rare_step', tags: ['old'], includeArchived: true }),
      RUNS / 2000,
    ],
    ['a common failed step and a common tag: none', () => ({ failedStepName: 'step_1', tags: ['paid'] }), 0],
    ['tests with a common tag: none', () => ({ environment: 'TESTING', tags: ['paid'], includeArchived: true }), 0],
    ['tests that failed at a step: none', () => ({ environment: 'TESTING', failedStepName: 'step_1' }), 0],
    ['a kind of message', () => ({ fingerprint: 'one' }), RUNS * 0.0196 - 9],
    ['a rare kind of message', () => ({ fingerprint: 'rare' }), (RUNS / 1000) * 0.4],
    ['a kind of message of old runs', () => ({ fingerprint: 'old' }), 94],
    ['a kind of message that is not there', () => ({ fingerprint: 'none', includeArchived: true }), 0],
    ['a kind of message at a failed step', () => ({ fingerprint: 'rare', failedStepName: 'step_1' }), 0],
    ['a kind of message of a flow', () => ({ fingerprint: 'old', flowId: flow('0') }), 89],
    [
      'a kind of message at its failed step of its flow',
      () => ({ fingerprint: 'one', failedStepName: 'step_1', flowId: flow('0') }),
      RUNS * 0.0196 - 9,
    ],
    ['a kind of message of a flow that never fails', () => ({ fingerprint: 'one', flowId: flow('3') }), 0],
    ['a kind of message and a common tag', () => ({ fingerprint: 'one', tags: ['paid'] }), 0],
    ['what a run started', () => ({ parentRunId: runId(7) }), RUNS * 0.004 + 10],
    ['what a run started, archived too', () => ({ parentRunId: runId(7), includeArchived: true }), RUNS / 100],
    ['what a run started that failed: none', () => ({ parentRunId: runId(7), status: ['FAILED'] }), 0],
    ['what a run started that started none', () => ({ parentRunId: runId(8) }), 0],
    ['the retries of a run', () => ({ retryOfRunId: runId(10), status: ['FAILED'] }), RUNS * 0.0004],
    ['tests', () => ({ environment: 'TESTING' }), (RUNS / 1000) * 0.4 + 1],
    ['tests, archived too', () => ({ environment: 'TESTING', includeArchived: true }), RUNS / 1000],
    ['tests that failed: none', () => ({ environment: 'TESTING', status: ['FAILED'] }), 0],
    ['tests of a flow that has none', () => ({ environment: 'TESTING', flowId: flow('4') }), 0],
    ['production', () => ({ environment: 'PRODUCTION' }), RUNS * 0.3996 + 999],
    ['a time', () => ({ createdAfter: at(10), createdBefore: at(20) }), 10],
    ['a time of runs that are archived', () => ({ createdAfter: at(2000), createdBefore: at(RUNS * 0.6) }), 0],
    ['an old time, archived too', () => ({ createdBefore: at(RUNS * 0.3), includeArchived: true }), RUNS * 0.3 - 1],
    ['a time in a rare status', () => ({ createdAfter: at(10), createdBefore: at(20), status: ['PAUSED'] }), 10],
    ['a time after all', () => ({ createdAfter: at(RUNS + 1) }), 0],
    ['a time and a common tag', () => ({ createdBefore: at(2001), tags: ['paid'], includeArchived: true }), 780],
    ['a hundred runs by id', () => ({ flowRunIds: ids(100) }), 41],
    [
      'a hundred runs by id that succeeded',
      () => ({ flowRunIds: ids(100), status: ['SUCCEEDED'], includeArchived: true }),
      99,
    ],
    ['all but some', () => ({ flowId, excludeFlowRunIds: Array.from({ length: 60 }, (_, i) => runId(i + 1)) }), 40],
  ];

  it.each(filters)('are read without reading the table, forward and back: %s', async (_, filter, matching) => {
    const asked = { projectId, ...filter() };

    const { data, next } = await runs.list(asked, page());

    expect(data.length).toBe(Math.min(matching, 100));
    expect(next === null).toBe(matching <= 100);
    expect(await runs.count(asked)).toBe(matching);
    const middle = runId(RUNS / 2);
    for (const edge of [{}, { before: middle }, { after: middle }]) {
      await expectFast(listStatement(asked, { ...edge, limit: 101 }));
    }
    await expectFast(findStatement(asked, null, 101));
  });

  it.each([
    ['failed at one step', {}],
    ['have messages of one kind', { fingerprint: 'one' }],
    ['have messages of one kind at one step of a flow', { fingerprint: 'one', flowId: flow('0') }],
  ])('are read in the order of their index where many %s, as few as a page has', async (_, filter) => {
    const { pages } = await explained(
      dataSource,
      listStatement({ projectId, failedStepName: 'step_1', ...filter }, { limit: 101 }),
    );

    expect(pages).toBeLessThan(1_500);
  });

  it.each([
    ['all', {}],
    ['archived too', { includeArchived: true }],
    ['a flow', { flowId: flow('3') }],
    ['statuses', { status: ['FAILED', 'PAUSED'], includeArchived: true }],
    ['a time', { createdAfter: at(10), createdBefore: at(20_000), includeArchived: true }],
    ['failed runs of a step', { failedStepName: 'step_1', includeArchived: true }],
  ] satisfies [string, Partial<FlowRunFilter>][])('are counted without reading the table: %s', async (_, filter) => {
    const { plan } = await explained(dataSource, countStatement({ projectId, ...filter }));

    expect(plan).toMatch(/Index (Only )?Scan/);
    expect(plan).not.toMatch(/Seq Scan on (flow_run_\d|run_tag)/);
  });

  it('are counted by how they failed, the most frequent first', async () => {
    const groups = await runs.failures({ projectId, includeArchived: true }, 1_000);

    const counts = groups.map(({ count }) => count);
    expect(counts.reduce((sum, count) => sum + count)).toBe(TENTH - 25);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
  });

  it('are summed up for fifty flows at once without reading the table', async () => {
    const many = Array.from({ length: 50 }, (_, n) => flow(String(n)));
    const { plan, pages, rows } = await explained(dataSource, summaryStatement(projectId, many, at(1)));

    expect(plan).not.toMatch(/Seq Scan on flow_run_\d/);
    expect(pages).toBeLessThan(LIMIT_PAGES * 5); // the ends of thirteen partitions, of eight statuses each
    expect(rows).toBeLessThan(LIMIT_ROWS);
  });

  it('are summed up by flow: the newest run, and as many since a moment as a summary counts', async () => {
    const summaries = await runs.summaries(projectId, [flow('0'), flow('3'), flowId, flow('99')], at(RUNS * 0.9 + 1));
    const last = (n: number, status: FlowRunStatus) => ({
      id: runId(n),
      status,
      created: at(n),
      finishTime: expect.any(Date),
    });
    expect(summaries.sort((a, b) => a.flowId.localeCompare(b.flowId))).toEqual([
      { flowId: flow('0'), lastRun: last(RUNS, 'RUNNING'), runs: MOST_RUNS_COUNTED, failed: MOST_RUNS_COUNTED },
      { flowId: flow('3'), lastRun: last(RUNS - 7, 'RUNNING'), runs: MOST_RUNS_COUNTED, failed: 0 },
      { flowId: flow('99'), lastRun: null, runs: 0, failed: 0 },
      { flowId, lastRun: last(100, 'FAILED'), runs: 0, failed: 0 },
    ]);
  });

  const yearOf = (buckets: number): Date[] => bucketEdges(at(1), at(RUNS + 1), buckets);
  const total = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0);

  it.each(filters)('are counted by time as many as there are, or about so many: %s', async (_, filter, matching) => {
    const { buckets, estimated } = await runs.histogram({ projectId, ...filter() }, yearOf(50));

    const counted = buckets.reduce((sum, { counts }) => sum + total(counts), 0);
    const mayMiss = estimated.length > 0 ? Math.max(60, matching * 0.15) : 0;
    expect(Math.abs(counted - matching)).toBeLessThanOrEqual(mayMiss);
  });

  it.each(filters)('are counted by time without reading the table: %s', async (_, filter) => {
    const { statement } = boundedCount({ projectId, ...filter() }, yearOf(100)) ?? {};
    if (!statement) return;
    const { plan, rows } = await explained(dataSource, statement);
    expect(plan).not.toMatch(/Seq Scan on (flow_run_\d|run_tag)/);
    expect(rows).toBeLessThan(LIMIT_COUNTED_ROWS);
  });

  it('are counted by time exactly in a status that few have, where the others are estimated', async () => {
    const { buckets, estimated } = await runs.histogram({ projectId, includeArchived: true }, yearOf(50));

    expect(estimated).toEqual(['SUCCEEDED']);
    expect(buckets.reduce((sum, { counts }) => sum + counts.STOPPED, 0)).toBe(RUNS / 1000);
  });

  it('of another project are not counted, whatever flow is asked for', async () => {
    const others = await seedProject(dataSource);

    const { buckets } = await runs.histogram({ projectId: others, flowId }, yearOf(50));

    expect(buckets).toEqual([]);
  });

  it('are estimated from a part of the table', async () => {
    const { text, values } = pagesStatement(yearOf(50));
    const [{ pages: all } = { pages: 0 }] = await dataSource.query<{ pages: number }[]>(text, values);
    const statement = sampleStatement({ projectId, includeArchived: true }, yearOf(50), sampledShare(all));

    const { pages } = await explained(dataSource, statement);

    expect(pages).toBeLessThan(all / 3);
  });

  async function expectFast(statement: Statement | null): Promise<void> {
    if (!statement) return;
    const { plan, pages, rows } = await explained(dataSource, statement);
    expect(plan).not.toMatch(/Seq Scan on (flow_run_\d|run_tag)/);
    expect(pages).toBeLessThan(LIMIT_PAGES);
    expect(rows).toBeLessThan(LIMIT_ROWS);
  }
});
