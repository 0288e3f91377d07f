import { RunRescuer, SystemClock, type ExecuteFlowJob, type JobKind } from '@millrace/domain';
import { aNewRun, anEnding, HELD } from '@millrace/domain/testing';
import { Worker } from 'bullmq';
import type { Pool } from 'pg';
import { newId } from '../postgres/new-id';
import { openHotPool } from '../postgres/hot-pool';
import { BullMqJobQueue } from '../queue/bullmq-job-queue';
import { ListenedQueue } from '../queue/listened-queue';
import { queueOptions, queueWorkerOptions, useQueueStore } from '../queue/queue-connection';
import type { RunJobData, RunQueue } from '../queue/run-queue';
import { PostgresRunIntake } from '../runs/postgres-run-intake';
import { PostgresRunJournal } from '../runs/postgres-run-journal';
import { PostgresUnfinishedRuns } from '../runs/postgres-unfinished-runs';
import type { RedisInstallation } from './redis-servers';
import { createTestDatabase, type TestDatabase } from './test-database';

const RUNS_BEFORE = 30;
const RUNS_AFTER = 10;

/** Sees every run as old enough to be rescued. */
class LaterClock extends SystemClock {
  override now = (): Date => new Date(Date.now() + 60_000);
}

/**
 * Accepts and executes runs while the server that has the queue is killed: whatever the queue has lost, every accepted
 * run ends, and new ones are accepted all the time.
 */
export function describeFailover(name: string, redis: () => RedisInstallation): void {
  describe(`runs while ${name}`, () => {
    let database: TestDatabase;
    let pool: Pool;
    let queue: RunQueue;
    let worker: Worker<RunJobData>;
    let jobs: BullMqJobQueue;

    beforeAll(async () => {
      database = await createTestDatabase();
      pool = openHotPool(database.url, 'failover test');
      const retention = { failedJobRetentionDays: 7, failedJobRetentionMaxCount: 100 };
      const settings = { databaseUrl: database.url, redisUrl: redis().url, ...retention };
      useQueueStore(settings);
      queue = new ListenedQueue<RunJobData, void, JobKind>('failover', queueOptions(settings));
      await queue.waitUntilReady();
      jobs = new BullMqJobQueue(queue);
      const journal = new PostgresRunJournal(pool, jobs);
      const execute = (runs: readonly ExecuteFlowJob[]) =>
        Promise.all(runs.map(({ runId }) => journal.finish(anEnding(runId))));
      worker = new Worker(queue.name, async ({ data }) => void (await execute(data.runs)), {
        ...queueWorkerOptions(settings, { concurrency: 4 }),
        autorun: false,
      });
      worker.on('error', () => undefined);
    });
    afterAll(async () => {
      await worker.close();
      await queue.close();
      await pool.end();
      await database.drop();
    });

    it('are accepted all the time, and end', async () => {
      const intake = new PostgresRunIntake(pool, jobs);
      const rescuer = new RunRescuer(new PostgresUnfinishedRuns(pool), jobs, new LaterClock(), newId);
      const accept = (count: number) => Promise.all(Array.from({ length: count }, () => intake.accept(aNewRun())));

      await accept(RUNS_BEFORE);
      void worker.run();
      await redis().killMaster();
      await accept(RUNS_AFTER);
      while ((await unfinished(pool)) > 0) await rescuer.perform(HELD).catch(() => undefined);
      await accept(RUNS_AFTER);
      while ((await unfinished(pool)) > 0) await rescuer.perform(HELD).catch(() => undefined);

      const { rows } = await pool.query<{ status: string; count: string }>(
        'select status, count(*) from flow_run group by status',
      );
      expect(rows).toEqual([{ status: 'SUCCEEDED', count: String(RUNS_BEFORE + 2 * RUNS_AFTER) }]);
    });
  });
}

async function unfinished(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(`select count(*) from flow_run where status = 'RUNNING'`);
  return Number(rows[0]?.count);
}
