import { randomBytes, randomUUID } from 'node:crypto';
import type { NewRun } from '@millrace/domain';
import { aNewRun, anEnding } from '@millrace/domain/testing';
import { Queue, Worker } from 'bullmq';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { BullMqJobQueue } from './bullmq-job-queue';
import type { RunQueue } from './run-queue';
import { queueOptions, queueWorkerOptions, useQueueStore } from './queue-connection';
import type { QueueSettings } from './queue-settings';
import { RunWorker } from './run-worker';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { ClaimedRuns } from './claimed-runs';
import { PostgresRunIntake } from '../runs/postgres-run-intake';
import { PostgresRunJournal } from '../runs/postgres-run-journal';

describe('runs that are loaded with the claim of their job', () => {
  let database: TestDatabase;
  let pool: Pool;
  let queue: RunQueue;
  let worker: Worker;
  let intake: PostgresRunIntake;
  let journal: PostgresRunJournal;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'claims test');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    const settings: QueueSettings = {
      databaseUrl: database.url,
      failedJobRetentionDays: 7,
      failedJobRetentionMaxCount: 100,
    };
    useQueueStore(settings);
    queue = new Queue(`claims-${randomUUID()}`, queueOptions(settings));
    await queue.waitUntilReady();
    const jobs = new BullMqJobQueue(queue);
    const claimedRuns = new ClaimedRuns();
    intake = new PostgresRunIntake(pool, jobs, { table: jobs });
    journal = new PostgresRunJournal(pool, jobs, { claimedRuns });
    worker = new RunWorker(queue.name, null, queueWorkerOptions(settings, { concurrency: 1, claimedRuns }));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await worker.close();
    await queue.close();
  });

  const accept = (runs: readonly NewRun[]) => Promise.all(runs.map((run) => intake.accept(run)));
  const claimNext = () => worker.getBackend().moveToActive('token', 'a worker');
  const statements = () => jest.spyOn(pool, 'query');

  it('are what a load of their own would give', async () => {
    const run = aNewRun({ isAwaited: true, payload: '{"a":"b"}' });
    await accept([run]);
    const loaded = await journal.load(run.id);

    await claimNext();
    const asked = statements();

    expect(await journal.load(run.id)).toEqual(loaded);
    expect(asked).not.toHaveBeenCalled();
  });

  it.each([
    ['many together', Array.from({ length: 3 }, () => aNewRun())],
    ['one whose payload is large', [aNewRun({ payload: JSON.stringify(randomBytes(100_000).toString('hex')) })]],
  ])('are not %s', async (_, runs) => {
    await accept(runs);
    const [job] = await claimNext();
    const asked = statements();

    expect(job).not.toBeNull();
    expect(await journal.load(runs[0]?.id ?? '')).toMatchObject({ id: runs[0]?.id });
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('are not those that somebody has begun, or that have ended', async () => {
    const [begun, ended] = [aNewRun(), aNewRun()];
    await accept([begun]);
    await accept([ended]);
    await journal.claim({ runId: begun.id, epoch: 0 }, new Date(), 60);
    await journal.finish(anEnding(ended.id));
    await claimNext();
    await claimNext();
    const asked = statements();

    expect(await journal.load(begun.id)).toMatchObject({ epoch: 1, isLeased: true });
    expect(await journal.load(ended.id)).toMatchObject({ status: 'SUCCEEDED' });
    expect(asked.mock.calls.length).toBeGreaterThanOrEqual(2);
  });

  it('are loaded for one claim, and again for the next delivery', async () => {
    const run = aNewRun();
    await accept([run]);
    await claimNext();
    await journal.load(run.id);
    const asked = statements();

    await journal.load(run.id);

    expect(asked).toHaveBeenCalledTimes(1);
  });
});
