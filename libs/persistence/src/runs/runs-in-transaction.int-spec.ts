import { JOB_PRIORITY, triggerRunKey, type RunJob } from '@millrace/domain';
import { aNewRun, anId, InMemoryJobQueue } from '@millrace/domain/testing';
import { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { inTransaction } from '../postgres/in-transaction';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { ENQUEUE_PATIENCE } from './best-effort-enqueue';
import { RunsInTransaction } from './runs-in-transaction';

describe('RunsInTransaction', () => {
  let database: TestDatabase;
  let pool: Pool;
  let jobs: RunJob[];
  let runs: RunsInTransaction;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'runs in transaction');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(() => {
    const queue = new InMemoryJobQueue();
    jobs = [];
    jest.spyOn(queue, 'enqueue').mockImplementation(async (added) => void jobs.push(...added));
    runs = new RunsInTransaction(queue, ENQUEUE_PATIENCE);
  });

  const known = async (ids: readonly string[]) =>
    (await pool.query<{ id: string }>('select id from flow_run where id = any($1)', [ids])).rows.map(({ id }) => id);

  it('makes the runs with the transaction, and enqueues them after it', async () => {
    const parent = aNewRun();
    const made = [parent, aNewRun({ parent: { runId: parent.id, failOnFailure: false, depth: 1 } })];
    const prepared = await runs.prepare(made);

    const inserted = await inTransaction(pool, (tx) => runs.insert(tx, prepared));
    await runs.enqueue(prepared, inserted);

    expect([...inserted].sort()).toEqual(made.map(({ id }) => id).sort());
    expect(await known([...inserted])).toHaveLength(2);
    expect(jobs.flatMap((job) => job.runs.map(({ runId }) => runId))).toEqual(made.map(({ id }) => id));
  });

  it('makes no run when the transaction fails', async () => {
    const run = aNewRun();
    const prepared = await runs.prepare([run]);

    const failed = inTransaction(pool, async (tx) => {
      await runs.insert(tx, prepared);
      throw new Error('changed its mind');
    });

    await expect(failed).rejects.toThrow('changed its mind');
    expect(await known([run.id])).toEqual([]);
  });

  it('makes one run for a key, and enqueues no other', async () => {
    const flowId = anId();
    const first = aNewRun({ flowId, triggerType: 'SCHEDULE', idempotencyKey: triggerRunKey('once') });
    const again = { ...first, id: aNewRun().id };
    for (const run of [first, again]) {
      const prepared = await runs.prepare([run]);
      await runs.enqueue(prepared, await inTransaction(pool, (tx) => runs.insert(tx, prepared)));
    }

    expect(await known([first.id, again.id])).toEqual([first.id]);
    expect(jobs).toMatchObject([{ jobId: first.id, priority: JOB_PRIORITY.schedule }]);
  });
});
