import { randomUUID } from 'node:crypto';
import { webhookKey, type NewRun } from '@millrace/domain';
import { aNewRun } from '@millrace/domain/testing';
import { Logger } from '@nestjs/common';
import { Queue } from 'bullmq';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { ListeningConnection } from '../postgres/listening-connection';
import { BullMqJobQueue } from '../queue/bullmq-job-queue';
import type { RunQueue } from '../queue/run-queue';
import { JOBS_CHANNEL } from '../queue/lean-queue.statements';
import { queueOptions, useQueueStore } from '../queue/queue-connection';
import type { QueueSettings } from '../queue/queue-settings';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresRunIntake } from './postgres-run-intake';

describe('PostgresRunIntake, with the queue in a table beside the runs', () => {
  let database: TestDatabase;
  let settings: QueueSettings;
  let pool: Pool;
  let queue: RunQueue;
  let jobs: BullMqJobQueue;
  let intake: PostgresRunIntake;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await createTestDatabase();
    settings = { databaseUrl: database.url, failedJobRetentionDays: 7, failedJobRetentionMaxCount: 100 };
    pool = openHotPool(database.url, 'intake test');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    useQueueStore(settings);
    queue = new Queue(`intake-${randomUUID()}`, queueOptions(settings));
    await queue.waitUntilReady();
    jobs = new BullMqJobQueue(queue);
    intake = new PostgresRunIntake(pool, jobs, { table: jobs });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await queue.close();
  });

  const runsIn = async (): Promise<string[]> =>
    (await queue.getJobs(['prioritized'])).flatMap((job) => job.data.runs.map(({ runId }) => runId));
  /** Returns the stored job as text, without its id and its time. */
  const writtenAs = async (jobId: string): Promise<string> =>
    JSON.stringify({ ...(await queue.getJob(jobId))?.toJSON(), timestamp: 0 }).replaceAll(jobId, 'id');
  const statements = () => jest.spyOn(pool, 'query');
  const acceptAll = (runs: readonly NewRun[]) => Promise.all(runs.map((run) => intake.accept(run)));

  it.each([
    ['a run', {}],
    ['a run whose sender waits for it', { isAwaited: true }],
  ])('writes %s, its job and the notice of it in one statement', async (_, kind) => {
    const run = aNewRun(kind);
    const asked = statements();

    await intake.accept(run);

    expect(asked).toHaveBeenCalledTimes(1);
    expect(await runsIn()).toEqual([run.id]);
  });

  it('writes the job that the queue itself would add', async () => {
    const [byIntake, byQueue] = [aNewRun(), aNewRun()];
    await intake.accept(byIntake);
    await new PostgresRunIntake(pool, jobs).accept(byQueue);

    const [first, second] = await Promise.all([byIntake, byQueue].map(({ id }) => writtenAs(id)));

    expect(first).toEqual(second);
  });

  it('tells the workers of a run that is alone, and of several', async () => {
    const listening = new ListeningConnection({ databaseUrl: database.url, applicationName: 'intake test' });
    let heard: (() => void) | undefined;
    const nextNotice = () => new Promise<void>((resolve) => (heard = resolve));
    await new Promise<void>((resolve) =>
      listening.on(JOBS_CHANNEL, (payload) => {
        if (payload === null) resolve();
        if (payload === queue.name) heard?.();
      }),
    );

    const ofOne = nextNotice();
    await intake.accept(aNewRun());
    await ofOne;
    const ofSeveral = nextNotice();
    await acceptAll([aNewRun(), aNewRun(), aNewRun()]);
    await ofSeveral;

    await listening.onApplicationShutdown();
  });

  it('brings the job of a run with a key after the run, and once', async () => {
    const key = { idempotencyKey: webhookKey(randomUUID()) };
    const first = aNewRun(key);
    const again = { ...aNewRun(key), flowId: first.flowId };

    await intake.accept(first);

    expect(await intake.accept(again)).toEqual({ runId: first.id, replayed: true });
    expect(await runsIn()).toEqual([first.id]);
  });

  it('accepts runs while their jobs cannot be written, and writes them together again later', async () => {
    intake = new PostgresRunIntake(pool, jobs, { table: jobs, pauseMs: 60_000 });
    const asked = jest.spyOn(jobs, 'rowsOf');
    const [whileAway, soonAfter, later] = [aNewRun(), aNewRun(), aNewRun()];
    await pool.query('alter table bullmq.job rename to job_elsewhere');
    try {
      await intake.accept(whileAway);
      await intake.accept(soonAfter);
    } finally {
      await pool.query('alter table bullmq.job_elsewhere rename to job');
    }
    expect(asked).toHaveBeenCalledTimes(1);
    const rows = await pool.query('select id from flow_run where id = any($1)', [[whileAway.id, soonAfter.id]]);
    expect(rows.rowCount).toBe(2);

    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
    await intake.accept(later);

    expect((await pool.query('select id from bullmq.job where id = $1', [later.id])).rowCount).toBe(1);
  });
});
