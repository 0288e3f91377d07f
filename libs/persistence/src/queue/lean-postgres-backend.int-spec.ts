import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { timeOfDay } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import { PostgresConnection, Queue, Worker } from 'bullmq';
import { BullMqJobQueue } from './bullmq-job-queue';
import type { RunJobData, RunQueue } from './run-queue';
import { LeanPostgresBackend } from './lean-postgres-backend';
import { JOBS_CHANNEL, writeNoEvents } from './lean-queue.statements';
import { queueOptions, queueWorkerOptions, useQueueStore } from './queue-connection';
import type { QueueSettings } from './queue-settings';

const settings: QueueSettings = {
  databaseUrl: process.env['MILLRACE_TEST_DATABASE_URL'] ?? '',
  failedJobRetentionDays: 7,
  failedJobRetentionMaxCount: 100_000,
};

/** The worker has a pool of its own here, as in another process than the queue's. */
const ofWorker: QueueSettings = { ...settings, connections: 3 };

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
    worker = new Worker(queue.name, ({ id }) => process(id ?? ''), queueWorkerOptions(ofWorker, { concurrency: 16 }));
    await worker.waitUntilReady();
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await worker.close();
    await queue.obliterate({ force: true });
    await queue.close();
  });

  const add = (jobId: string): Promise<void> => jobs.enqueue([{ jobId, priority: 1, runs: [] }]);

  const setMeta = (field: string, value: string) =>
    backendOf(queue).connection.pool.query(
      'insert into meta (queue, field, value) values ($1, $2, $3) on conflict (queue, field) do update set value = $3',
      [queue.name, field, value],
    );

  /** Executes one job and writes its completion, so that the worker is idle afterwards. */
  async function bringOneThrough(jobId: string): Promise<void> {
    const completed = once(worker, 'completed');
    await add(jobId);
    await completed;
    await backendOf(worker).writeHeld();
  }

  it('executes jobs after a start that failed, and asks once a second meanwhile', async () => {
    await worker.close();
    const start = jest.spyOn(PostgresConnection.prototype as unknown as { bootstrap(): Promise<void> }, 'bootstrap');
    start.mockRejectedValueOnce(new Error('Connection terminated unexpectedly'));
    const asked = jest.spyOn(LeanPostgresBackend.prototype, 'moveToActive');
    worker = new Worker(queue.name, () => Promise.resolve(), queueWorkerOptions(settings, { concurrency: 1 }));
    worker.on('error', () => undefined);

    const completed = once(worker, 'completed');
    await add('a-job');
    await completed;

    expect(asked.mock.calls.length).toBeLessThan(10);
  });

  it('takes three statements for a job that comes alone, its adding, its claim and its completion, and at most one more', async () => {
    await bringOneThrough('first');
    const statements = [queue, worker].map((each) => jest.spyOn(backendOf(each).connection.pool, 'query'));

    await bringOneThrough('second');

    // A late notification causes one more claim.
    expect(statements.flatMap(({ mock }) => mock.calls).length).toBeLessThanOrEqual(4);
  });

  it('locks jobs and searches for stalled ones by the time that all share, not by that of its machine', async () => {
    let leave = (): void => undefined;
    const held = new Promise<void>((resolve) => (leave = resolve));
    process = () => held;
    const active = once(worker, 'active');
    await add('held');
    await active;
    const [backend, pool] = [backendOf(worker), backendOf(queue).connection.pool];
    const { rows: locked } = await pool.query<{ lock_token: string }>(
      "select lock_token from job where queue = $1 and id = 'held'",
      [queue.name],
    );
    const shared = Date.now();
    jest.spyOn(timeOfDay, 'nowMs').mockReturnValue(shared);
    jest.spyOn(Date, 'now').mockReturnValue(shared + 3_600_000);

    expect(await backend.extendLocks(['held', 'other'], [locked[0]?.lock_token ?? '', 'x'], 30_000)).toEqual(['other']);
    await backend.moveStalledJobsToWait();

    const { rows } = await pool.query<{ last: string; until: string }>(
      `select (select value from meta where queue = $1 and field = 'stalled-check') as last, locked_until_ms::text as until
       from job where queue = $1 and id = 'held'`,
      [queue.name],
    );
    leave();
    expect(Number(rows[0]?.last)).toBeLessThanOrEqual(shared);
    expect(Number(rows[0]?.until)).toBe(shared + 30_000);
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
    const completed = once(worker, 'completed');
    await add('lone');
    await completed;

    let state: string;
    do state = await queue.getJobState('lone');
    while (state === 'active');
    expect(state).toBe('completed');
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
    const { listening } = backendOf(worker).queueConnection;
    const listensAgain = new Promise<void>((resolve) =>
      listening.on(JOBS_CHANNEL, (queueName) => queueName ?? resolve()),
    );
    const { client } = listening as unknown as { client: { processID: number } };
    await backendOf(queue).connection.pool.query('select pg_terminate_backend($1)', [client.processID]);
    await listensAgain;

    await bringOneThrough('after');
    await bringOneThrough('and after that');

    expect(await jobs.liveness(['after', 'and after that'])).toEqual(['gone', 'gone']);
  });

  it('listens once on a connection, however often it was asked to block again', async () => {
    await bringOneThrough('before');
    const heard = jest.spyOn(backendOf(worker).queueConnection.listening, 'on');

    await backendOf(worker).reconnectBlocking();
    await bringOneThrough('after');
    await backendOf(worker).reconnectBlocking();
    await bringOneThrough('and after that');

    expect(heard).not.toHaveBeenCalled();
  });

  it.each([
    ['is paused', 'paused', '1'],
    ['has as many active jobs as it may', 'concurrency', '0'],
  ])('asks once for the jobs of a queue that %s, until there is news', async (_, field, value) => {
    const asking = new Worker(queue.name, null, queueWorkerOptions(ofWorker, { concurrency: 1 }));
    const backend = backendOf(asking);
    await worker.close();
    await setMeta(field, value);
    await add('waits');

    const [job] = await backend.moveToActive('token');
    const claims = jest.spyOn(backend.connection.pool, 'query');
    const [jobThen] = await backend.moveToActive('token');

    expect([job, jobThen]).toEqual([null, null]);
    expect(claims).not.toHaveBeenCalled();
    await asking.close();
  });

  it('claims a job whose retry is due', async () => {
    await worker.close();
    await add('again');
    const { pool } = backendOf(queue).connection;
    await pool.query(`update job set state = 'delayed', process_at_ms = 1, delay_ms = 1 where queue = $1`, [
      queue.name,
    ]);
    const asking = new Worker(queue.name, null, queueWorkerOptions(ofWorker, { concurrency: 1 }));

    const [, id] = await backendOf(asking).moveToActive('token');

    expect(id).toBe('again');
    await asking.close();
  });

  it('keeps what it could not complete, and completes it when the database is back', async () => {
    const { pool } = backendOf(worker).connection;
    worker.on('error', () => undefined); // fetching fails as well
    // once() would reject with the worker's error.
    const completed = new Promise((resolve) => worker.on('completed', resolve));
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
