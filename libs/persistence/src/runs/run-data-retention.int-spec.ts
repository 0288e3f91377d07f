import { firstIdAt, isFinal, type FlowRunStatus } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import { Pool, type PoolClient } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { ensureSegmentPartitions } from '../postgres/run-partitions';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { TableInUseError } from '../postgres/partitions';
import { purgeRunData } from './run-data-retention';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The first days of the test have no partition of their own; the other days have one. */
const FIRST_DAY = Date.parse('2020-01-01T00:00:00Z');
const FIRST_PARTITION = 2;
const DAYS = 5;
const on = (day: number): Date => new Date(FIRST_DAY + day * DAY_MS);

describe('purgeRunData', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'retention test');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query('truncate flow_run, run_segment, run_request, run_response, store_entry, run_data_kept');
    await pool.query('update run_data_mark set purged_up_to = $1', [firstIdAt(new Date(0))]);
    await ensureSegmentPartitions(pool, on(FIRST_PARTITION), DAYS - FIRST_PARTITION);
  });

  /** Inserts a run with a segment, a wait, a response and a store entry. It has ended already unless `more` says so. */
  async function aRun(
    status: FlowRunStatus,
    day: number,
    more: { hasSegment?: boolean; endedOn?: number } = {},
  ): Promise<string> {
    const id = firstIdAt(on(day + 0.5)).slice(0, 14) + anId().slice(14);
    await pool.query(
      `insert into flow_run (id, project_id, flow_id, flow_version_id, status, environment, triggered_by, trigger_type,
         job_id, updated, payload, tags, finish_time)
       values ($1, $1, $1, $1, $2, 'PRODUCTION', 'webhook', 'WEBHOOK', $1, now(), '\\x007b7d', '{vip}', $3)`,
      [id, status, isFinal(status) ? on(more.endedOn ?? day + 0.5) : null],
    );
    await pool.query(`insert into run_response values ($1, '\\x00', now())`, [id]);
    await pool.query(
      `insert into run_request (run_id, request_id, project_id, kind, created) values ($1, 'r', $1, 'timer', now())`,
      [id],
    );
    await pool.query(
      `insert into store_entry (id, project_id, scope, scope_id, key, value, created, updated)
       values ($1, $1, 'RUN', $1, 'k', '\\x00', now(), now())`,
      [id],
    );
    if (more.hasSegment !== false)
      await pool.query(`insert into run_segment values ($1, 0, '\\x005b5d'), ($1, 1, '\\x005b5d')`, [id]);
    return id;
  }

  /** Counts the data that is left of a run. */
  async function leftOf(runId: string): Promise<object> {
    const { rows } = await pool.query<object>(
      `select (select payload is not null from flow_run where id = $1) as payload,
         (select count(*)::int from run_segment where run_id = $1) as segments,
         (select count(*)::int from run_request where run_id = $1) as waits,
         (select count(*)::int from run_response where run_id = $1) as responses,
         (select count(*)::int from store_entry where scope_id = $1) as entries`,
      [runId],
    );
    return rows[0] ?? {};
  }
  const ALL = { payload: true, segments: 2, waits: 1, responses: 1, entries: 1 };
  const NOTHING = { payload: false, segments: 0, waits: 0, responses: 0, entries: 0 };

  const endRuns = (runIds: readonly string[], day: number) =>
    pool.query(`update flow_run set status = 'STOPPED', finish_time = $2 where id = any($1)`, [runIds, on(day)]);

  const partitions = async (): Promise<string[]> => {
    const { rows } = await pool.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits
       where inhparent = 'run_segment'::regclass and inhrelid::regclass::text like 'run_segment_2020%' order by 1`,
    );
    return rows.map(({ name }) => name);
  };

  it('leaves the data of a run that executes, whose id comes from a clock that is days behind', async () => {
    await aRun('SUCCEEDED', 4);
    await purgeRunData(pool, on(5));
    const late = await aRun('RUNNING', 1);
    const ended = await aRun('SUCCEEDED', 1, { endedOn: 9 });

    await purgeRunData(pool, on(5));
    expect([await leftOf(late), await leftOf(ended)]).toEqual([ALL, ALL]);
    await endRuns([late], 8);
    await purgeRunData(pool, on(9.5));

    expect([await leftOf(late), await leftOf(ended)]).toMatchObject([{ segments: 0 }, { segments: 0 }]);
  });

  it('purges what runs did that have ended, and leaves the runs', async () => {
    const statuses = ['SUCCEEDED', 'FAILED', 'STOPPED', 'TIMEOUT', 'INTERNAL_ERROR', 'QUOTA_EXCEEDED'] as const;
    const runIds = await Promise.all(statuses.map((status, day) => aRun(status, day % 3)));

    await purgeRunData(pool, on(3));

    expect(await Promise.all(runIds.map(leftOf))).toEqual(runIds.map(() => NOTHING));
    const { rows } = await pool.query<object>('select id, status, tags from flow_run order by id');
    expect(rows).toEqual(runIds.map((id, i) => ({ id, status: statuses[i], tags: ['vip'] })).sort(byId));
  });

  it('drops the partitions of days that are wholly before the moment, and no others', async () => {
    await purgeRunData(pool, new Date(on(4).getTime() - 1));
    expect(await partitions()).toEqual(['run_segment_20200104', 'run_segment_20200105']);

    await purgeRunData(pool, on(4));
    expect(await partitions()).toEqual(['run_segment_20200105']);
  });

  it('goes on with smaller batches when one meets the time limit of statements', async () => {
    const runIds = await Promise.all(Array.from({ length: 20 }, () => aRun('SUCCEEDED', 0)));
    await pool.query(`
      create function slowly() returns trigger language plpgsql as $$ begin perform pg_sleep(0.01); return new; end $$;
      create trigger slowly before update of payload on flow_run for each row execute function slowly()`);
    const hurried = new Pool({ connectionString: database.url, max: 1, options: '-c statement_timeout=100' });

    await purgeRunData(hurried, on(3));

    await hurried.end();
    await pool.query('drop function slowly cascade');
    expect(await Promise.all(runIds.map(leftOf))).toEqual(runIds.map(() => NOTHING));
  });

  it('leaves younger runs alone, also those of the same day', async () => {
    const [younger, older] = [await aRun('SUCCEEDED', 3.2), await aRun('SUCCEEDED', 3.1)];

    await purgeRunData(pool, on(3.65));

    expect(await leftOf(younger)).toEqual(ALL);
    expect(await leftOf(older)).toEqual({ ...NOTHING, segments: 2 });
  });

  it('keeps all of the runs that have not ended, until they have', async () => {
    const [paused, running] = [await aRun('PAUSED', 2), await aRun('RUNNING', 3)];
    const unrecorded = await aRun('RUNNING', 0, { hasSegment: false });

    await purgeRunData(pool, on(5));

    expect(await partitions()).toEqual([]);
    expect(await Promise.all([paused, running, unrecorded].map(leftOf))).toEqual([ALL, ALL, { ...ALL, segments: 0 }]);

    await pool.query(`insert into run_segment values ($1, 2, '\\x005b5d')`, [paused]);
    await endRuns([paused, unrecorded], 4.9);
    await purgeRunData(pool, on(5));

    expect(await Promise.all([paused, running, unrecorded].map(leftOf))).toEqual([NOTHING, ALL, NOTHING]);
    expect((await pool.query<object>('select * from run_data_kept')).rows).toEqual([{ run_id: running }]);
  });

  it('keeps what has ended for as long after its end, however long it took', async () => {
    const runId = await aRun('STOPPED', 0, { endedOn: 4.5 });
    const noted = await aRun('PAUSED', 3);
    await purgeRunData(pool, on(4));
    await endRuns([noted], 4.5);

    await purgeRunData(pool, on(4.4));
    expect(await partitions()).toEqual(['run_segment_20200105']);
    expect([await leftOf(runId), await leftOf(noted)]).toEqual([ALL, ALL]);

    await purgeRunData(pool, on(4.6));
    expect([await leftOf(runId), await leftOf(noted)]).toEqual([NOTHING, NOTHING]);
    expect((await pool.query('select from run_data_kept')).rowCount).toBe(0);
  });

  it('purges more runs than one batch has', async () => {
    await pool.query(
      `insert into flow_run (id, project_id, flow_id, flow_version_id, status, environment, triggered_by, trigger_type,
         job_id, updated, payload, finish_time)
       select (substr($1::text, 1, 24) || lpad(to_hex(n), 12, '0'))::uuid, $1::uuid, $1::uuid, $1::uuid, 'SUCCEEDED',
         'PRODUCTION', 'webhook', 'WEBHOOK', $1::uuid, now(), '\\x007b7d', $2::timestamptz
       from generate_series(1, 2500) n`,
      [firstIdAt(on(1)), on(1)],
    );
    await pool.query(`insert into run_segment select id, 0, '\\x005b5d' from flow_run`);

    await purgeRunData(pool, on(2));

    const { rows } = await pool.query<object>(
      `select count(payload)::int as payloads, (select count(*)::int from run_segment) as segments from flow_run`,
    );
    expect(rows).toEqual([{ payloads: 0, segments: 0 }]);
  });

  it('does nothing when runs are kept for longer than they were', async () => {
    await purgeRunData(pool, on(4));
    const runId = await aRun('SUCCEEDED', 4);

    await purgeRunData(pool, on(1));

    expect(await leftOf(runId)).toEqual(ALL);
  });

  it('gives up when somebody holds the journal, and does the rest next time', async () => {
    const runId = await aRun('SUCCEEDED', 2);
    const reader = await pool.connect();
    await reader.query('begin; select from run_segment limit 1');

    await expect(purgeRunData(pool, on(3), { tries: 2, pauseMs: 1 })).rejects.toBeInstanceOf(TableInUseError);
    expect(await leftOf(runId)).toEqual({ ...NOTHING, segments: 2 });

    await reader.query('commit');
    reader.release();
    await purgeRunData(pool, on(3));
    expect(await leftOf(runId)).toEqual(NOTHING);
  });

  it('comes to the same end after a crash at any statement', async () => {
    const ended = [await aRun('SUCCEEDED', 0), await aRun('FAILED', 2), await aRun('FAILED', 3)];
    const meanwhile = [await aRun('PAUSED', 0), await aRun('PAUSED', 3)];
    const unfinished = [await aRun('PAUSED', 1), await aRun('RUNNING', 3)];
    await purgeRunData(pool, on(1));
    await endRuns(meanwhile, 3.9);

    let crashes = 0;
    while (!(await survives(purgeRunData(crashingPool(pool, crashes + 1), on(4))))) {
      crashes++;
      expect(await Promise.all(unfinished.map(leftOf))).toEqual([ALL, ALL]);
      for (const runId of [...ended, ...meanwhile])
        expect([ALL, NOTHING, { ...NOTHING, segments: 2 }]).toContainEqual(await leftOf(runId));
    }

    expect(crashes).toBeGreaterThan(5);
    expect(await partitions()).toEqual(['run_segment_20200105']);
    expect(await Promise.all([...ended, ...meanwhile].map(leftOf))).toEqual(
      [...ended, ...meanwhile].map(() => NOTHING),
    );
    expect(await Promise.all(unfinished.map(leftOf))).toEqual([ALL, ALL]);
  });
});

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);

const survives = (purged: Promise<unknown>): Promise<boolean> =>
  purged.then(
    () => true,
    (error: Error) => {
      expect(error.message).toBe('crash');
      return false;
    },
  );

/** Returns a pool that fails from the statement with this number on, counted from 1. */
function crashingPool(pool: Pool, statement: number): Pool {
  let count = 0;
  const counted = (db: Pool | PoolClient) => (query: string, values?: unknown[]) => {
    if (++count >= statement) return Promise.reject(new Error('crash'));
    return db.query(query, values);
  };
  const connect = async () => {
    const client = await pool.connect();
    const unheard = { on: () => undefined, off: () => undefined };
    return { query: counted(client), release: (broken?: boolean) => client.release(broken), ...unheard };
  };
  return { query: counted(pool), connect } as unknown as Pool;
}
