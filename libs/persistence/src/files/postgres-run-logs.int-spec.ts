import { runLogLines, type FlowRunStatus, type RecordedStep } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { encodeJson } from '../postgres/stored-json';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresRunLogs } from './postgres-run-logs';

let database: TestDatabase;
let pool: Pool;
let logs: PostgresRunLogs;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openHotPool(database.url, 'run log test');
  logs = new PostgresRunLogs(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

interface Given {
  status?: FlowRunStatus;
  startTime?: Date | null;
  payload?: string | null;
  segments?: string[][];
}

/**
 * Inserts a run with segments, each given by the paths of its steps. Returns its id, which is also its project's id.
 */
async function aRun({ status = 'SUCCEEDED', startTime = new Date(), payload = '{}', segments = [] }: Given) {
  const id = anId();
  await pool.query(
    `insert into flow_run (id, project_id, flow_id, flow_version_id, status, environment, triggered_by, trigger_type,
       job_id, start_time, payload, updated)
     values ($1, $1, $1, $1, $2, 'PRODUCTION', 'webhook', 'WEBHOOK', $1, $3, $4, now())`,
    [id, status, startTime, payload === null ? null : await encodeJson(payload)],
  );
  for (const [seq, paths] of segments.entries()) {
    const records = paths.map((path): RecordedStep => ({ path, type: 'CODE', status: 'SUCCEEDED', duration: 1 }));
    const bytes = await encodeJson(JSON.stringify(records));
    await pool.query('insert into run_segment (run_id, seq, records) values ($1, $2, $3)', [id, seq, bytes]);
  }
  return id;
}

/** Undefined stands for a segment that cannot be read. */
async function stepsOf(id: string): Promise<(string | undefined)[]> {
  const log = await logs.find(id, 'any');
  if (!log) throw new Error(`There is no log of ${id}.`);
  let text = '';
  for await (const piece of runLogLines(log)) text += piece;
  const [first, ...lines] = text.trimEnd().split('\n');
  expect(JSON.parse(first ?? '')).toMatchObject({ run: { id, status: 'SUCCEEDED' } });
  return lines.map((line) => (JSON.parse(line) as { step?: string }).step);
}

describe('PostgresRunLogs', () => {
  it('gives the records of all segments in order, however many there are', async () => {
    const segments = Array.from({ length: 30 }, (_, seq) => [`loop[${seq}].a`, `loop[${seq}].b`]);

    expect(await stepsOf(await aRun({ segments }))).toEqual(segments.flat());
    expect(await stepsOf(await aRun({ segments: segments.slice(0, 8) }))).toEqual(segments.slice(0, 8).flat());
    expect(await stepsOf(await aRun({}))).toEqual([]);
  });

  it('gives what can be read of a log, and says what cannot', async () => {
    const id = await aRun({ segments: [['a'], ['b'], ['c']] });
    await pool.query(`update run_segment set records = '\\xff00' where run_id = $1 and seq = 1`, [id]);

    expect(await stepsOf(id)).toEqual(['a', undefined, 'c']);
  });

  it('holds a few segments at a time', async () => {
    const id = await aRun({ segments: Array.from({ length: 30 }, (_, seq) => [`s${seq}`]) });
    const query = jest.spyOn(pool, 'query');
    const log = await logs.find(id, 'any');
    let read = 0;

    for await (const records of log?.records ?? []) {
      read += records.length;
      if (read === 9) break;
    }

    expect(query).toHaveBeenCalledTimes(3);
    query.mockRestore();
  });

  it.each<[string, Given]>([
    ['has not started', { startTime: null, status: 'RUNNING' }],
    ['was purged of its data', { payload: null }],
  ])('finds no log of a run that %s', async (_what, given) => {
    expect(await logs.find(await aRun(given), 'any')).toBeNull();
  });

  it('finds no log of a run of another project, or that is none', async () => {
    const id = await aRun({});

    expect(await logs.find(id, [anId()])).toBeNull();
    expect(await logs.find(id, [anId(), id])).toMatchObject({ run: { id } });
    expect(await logs.find(anId(), 'any')).toBeNull();
    expect(await logs.find('no-id', 'any')).toBeNull();
  });
});
