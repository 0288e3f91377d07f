import { firstIdAt, isFinal, type FlowRunStatus } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { ensureRunPartitions } from '../postgres/run-partitions';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { dropOldRuns } from './run-retention';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The days of the test are counted from here; January, February and March have partitions. */
const FIRST_DAY = Date.parse('2020-01-01T00:00:00Z');
const on = (day: number): Date => new Date(FIRST_DAY + day * DAY_MS);
const FEBRUARY = 31;
const MARCH = FEBRUARY + 29;

describe('dropOldRuns', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'run retention test');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query('truncate flow_run, run_segment, run_request, run_tag, run_data_kept');
    await pool.query('update run_data_mark set purged_up_to = $1', [firstIdAt(new Date(0))]);
    await ensureRunPartitions(pool, on(0), 3);
  });

  /** Inserts a run with a tag, a wait and a segment. It has ended already unless the caller says so. */
  async function aRun(
    status: FlowRunStatus,
    day: number,
    more: { endedOn?: number; untoldParent?: string } = {},
  ): Promise<string> {
    const id = firstIdAt(on(day)).slice(0, 14) + anId().slice(14);
    await pool.query(
      `insert into flow_run (id, project_id, flow_id, flow_version_id, status, environment, triggered_by, trigger_type,
         job_id, updated, payload, tags, finish_time, parent_run_id)
       values ($1, $1, $1, $1, $2, 'PRODUCTION', 'webhook', 'WEBHOOK', $1, now(), '\\x007b7d', '{vip}', $3, $4)`,
      [id, status, isFinal(status) ? on(more.endedOn ?? day) : null, more.untoldParent ?? null],
    );
    await pool.query(`insert into run_tag values ($1, 'vip', $1, $1, $2, false)`, [id, status]);
    await pool.query(`insert into run_segment values ($1, 0, '\\x005b5d')`, [id]);
    await pool.query(
      `insert into run_request (run_id, request_id, project_id, kind, created) values ($1, 'r', $1, 'timer', now())`,
      [id],
    );
    return id;
  }

  const NOTHING = { run: null, tags: 0, segments: 0, waits: 0 };
  async function leftOf(runId: string): Promise<object> {
    const { rows } = await pool.query<object>(
      `select (select tableoid::regclass::text from flow_run where id = $1) as run,
         (select count(*)::int from run_tag where run_id = $1) as tags,
         (select count(*)::int from run_segment where run_id = $1) as segments,
         (select count(*)::int from run_request where run_id = $1) as waits`,
      [runId],
    );
    return rows[0] ?? {};
  }
  const months = async (): Promise<string[]> => {
    const { rows } = await pool.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits
       where inhparent = 'flow_run'::regclass and inhrelid::regclass::text like 'flow_run_2020%' order by 1`,
    );
    return rows.map(({ name }) => name);
  };

  it('drops the months that are wholly before the moment, with all that belongs to their runs', async () => {
    const [january, february] = [await aRun('SUCCEEDED', 3), await aRun('FAILED', FEBRUARY + 3)];

    await dropOldRuns(pool, on(MARCH - 1));

    expect(await months()).toEqual(['flow_run_202002', 'flow_run_202003']);
    expect(await leftOf(january)).toEqual(NOTHING);
    expect(await leftOf(february)).toMatchObject({ run: 'flow_run_202002', tags: 1 });
  });

  it('carries over what has not ended, or not long enough ago, or has not told its parent, until its time has come', async () => {
    const staying = [
      await aRun('PAUSED', 3),
      await aRun('RUNNING', 4),
      await aRun('SUCCEEDED', 5, { endedOn: FEBRUARY + 1 }),
      await aRun('FAILED', 6, { untoldParent: anId() }),
    ];

    await dropOldRuns(pool, on(FEBRUARY));

    expect(await months()).toEqual(['flow_run_202002', 'flow_run_202003']);
    const [paused, running, late, untold] = await Promise.all(staying.map(leftOf));
    for (const run of [paused, running, late])
      expect(run).toEqual({ run: 'flow_run_default', tags: 1, segments: 1, waits: 1 });
    expect(untold).toMatchObject({ run: 'flow_run_default', tags: 1 });

    await pool.query(
      `update flow_run set status = 'STOPPED', finish_time = $2, parent_told = true where id = any($1) and finish_time is null`,
      [staying, on(FEBRUARY + 1)],
    );
    await pool.query('update flow_run set parent_told = true');
    await dropOldRuns(pool, on(FEBRUARY + 2));
    expect(await Promise.all(staying.map(leftOf))).toEqual(staying.map(() => NOTHING));
  });

  it('waits with a month of which too many runs have not ended', async () => {
    await pool.query(
      `insert into flow_run (id, project_id, flow_id, flow_version_id, status, environment, triggered_by, trigger_type,
         job_id, updated)
       select (substr($1, 1, 24) || lpad(to_hex(n), 12, '0'))::uuid, $1::uuid, $1::uuid, $1::uuid, 'PAUSED', 'PRODUCTION',
         'webhook', 'WEBHOOK', $1::uuid, now()
       from generate_series(1, 10001) n`,
      [firstIdAt(on(3))],
    );

    await dropOldRuns(pool, on(FEBRUARY));

    expect((await months())[0]).toBe('flow_run_202001');
  });
});
