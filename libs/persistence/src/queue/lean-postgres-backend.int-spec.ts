import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Queue, Worker } from 'bullmq';
import { BullMqJobQueue, type RunJobData, type RunQueue } from './bullmq-job-queue';
import { LeanPostgresBackend } from './lean-postgres-backend';
import { writeNoEvents } from './lean-queue.statements';
import { queueOptions, queueWorkerOptions, useQueueStore, type QueueSettings } from './queue-connection';

const settings: QueueSettings = {
  databaseUrl: process.env['MILLRACE_TEST_DATABASE_URL'] ?? '',
  failedJobRetentionDays: 7,
  failedJobRetentionMaxCount: 100_000,
};

const backendOf = (owner: Queue | Worker): LeanPostgresBackend => owner.getBackend() as unknown as LeanPostgresBackend;

describe('LeanPostgresBackend', () => {
  let queue: RunQueue;
  let jobs: BullMqJobQueue;
  let worker: Worker<RunJobData>;
  let process: (jobId: string) => Promise<void>;

  beforeAll(() => Logger.overrideLogger(false));

  beforeEach(async () => {
    useQueueStore(settings);
    queue = new Queue(`lean-${randomUUID()}`, queueOptions(settings));
    await queue.waitUntilReady();
    await writeNoEvents(backendOf(queue).connection.pool);
    jobs = new BullMqJobQueue(queue);
    process = () => Promise.resolve();
    worker = new Worker(queue.name, ({ id }) => process(id ?? ''), queueWorkerOptions(settings, { concurrency: 16 }));
    await worker.waitUntilReady();
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await worker.close();
    await queue.obliterate({ force: true });
    await queue.close();
  });

  const add = (jobId: string): Promise<void> => jobs.enqueue([{ jobId, priority: 1, runs: [] }]);

  /** The worker has nothing to do, and asks nobody. */
  async function bringOneThrough(jobId: string): Promise<void> {
    const completed = once(worker, 'completed');
    await add(jobId);
    await completed;
    await backendOf(worker).writeHeld();
  }

  it('takes three statements for a job that comes alone, its adding, its claim and its completion, and at most one more', async () => {
    await bringOneThrough('first');
    const statements = [queue, worker].map((each) => jest.spyOn(backendOf(each).connection.pool, 'query'));

    await bringOneThrough('second');

    // A notice that was late brings one more claim.
    expect(statements.flatMap(({ mock }) => mock.calls).length).toBeLessThanOrEqual(4);
  });

  it('completes a job with the claim of the next', async () => {
    await bringOneThrough('first');
    backendOf(worker).completedWithinMs = 60_000;
    const statements = jest.spyOn(backendOf(worker).connection.pool, 'query');

    for (const id of ['a', 'b', 'c']) {
      const completed = once(worker, 'completed');
      await add(id);
      await completed;
    }

    expect(statements.mock.calls.flatMap(([, values]) => values?.[5])).toEqual(['a', 'b']);
    expect(await jobs.liveness(['a', 'b', 'c'])).toEqual(['gone', 'gone', 'live']);
  });

  it('writes a completion that has no company', async () => {
    const written = jest.spyOn(backendOf(worker), 'writeHeld');
    const completed = once(worker, 'completed');
    await add('lone');
    await completed;

    while (written.mock.results.length === 0) await new Promise(setImmediate);
    await written.mock.results[0]?.value;

    expect(await queue.getJobState('lone')).toBe('completed');
  });

  it('leaves a job alone that another worker has taken over meanwhile', async () => {
    process = async () => {
      await backendOf(queue).connection.pool.query(`update job set lock_token = 'another' where queue = $1`, [
        queue.name,
      ]);
    };

    await bringOneThrough('lost');

    expect(await queue.getJobState('lost')).toBe('active');
  });

  it('hears of jobs again after its listening connection broke', async () => {
    await bringOneThrough('before');
    const isReady = once(backendOf(worker).connection, 'listenerinvalidated');
    worker.on('error', () => undefined); // the connection that breaks is the point
    await backendOf(queue).connection.pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
      [queue.name],
    );
    await isReady;

    await bringOneThrough('after');
    await bringOneThrough('and after that');

    expect(await jobs.liveness(['after', 'and after that'])).toEqual(['gone', 'gone']);
  });

  it('keeps what it could not complete, and completes it when the database is back', async () => {
    const { pool } = backendOf(worker).connection;
    worker.on('error', () => undefined); // fetching fails as well
    const completed = once(worker, 'completed');
    process = async () => void jest.spyOn(pool, 'query').mockRejectedValue(new Error('away'));
    await add('kept');
    await completed;

    await backendOf(worker).writeHeld();
    expect(await queue.getJobState('kept')).toBe('active');
    jest.restoreAllMocks();
    await backendOf(worker).writeHeld();

    expect(await queue.getJobState('kept')).toBe('completed');
  });

  it('keeps no events of jobs', async () => {
    await bringOneThrough('quiet');

    const { rows } = await backendOf(queue).connection.pool.query<{ events: number }>(
      'select count(*)::int as events from event where queue = $1',
      [queue.name],
    );
    expect(rows).toEqual([{ events: 0 }]);
  });
});
