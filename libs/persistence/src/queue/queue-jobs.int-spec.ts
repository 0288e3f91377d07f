import { randomUUID } from 'node:crypto';
import { EntityNotFoundError, executeFlowJob, JobNotFailedError, type JobKind } from '@millrace/domain';
import { Worker } from 'bullmq';
import { ListenedQueue, ListenedWorker } from './listened-queue';
import { queueOptions, queueWorkerOptions, useQueueStore } from './queue-connection';
import { countJobs, retryFailedJob } from './queue-jobs';
import type { QueueSettings } from './queue-settings';
import type { RunJobData } from './run-queue';

const databaseUrl = process.env['MILLRACE_TEST_DATABASE_URL'] ?? '';
const redisUrl = process.env['MILLRACE_TEST_REDIS_URL'];
const retention = { failedJobRetentionDays: 7, failedJobRetentionMaxCount: 100_000 };
const STORES: [string, QueueSettings][] = [['PostgreSQL', { databaseUrl, ...retention }]];
if (redisUrl) STORES.push(['Redis', { databaseUrl, redisUrl, ...retention }]);

describe.each(STORES)('the jobs of a queue in %s', (_, settings) => {
  let queue: ListenedQueue<RunJobData, void, JobKind>;

  beforeEach(async () => {
    useQueueStore(settings);
    queue = new ListenedQueue<RunJobData, void, JobKind>(`jobs-${randomUUID()}`, queueOptions(settings));
    await queue.waitUntilReady();
  });
  afterEach(async () => {
    await queue.obliterate({ force: true });
    await queue.close();
  });

  const add = async (): Promise<string> => {
    const run = executeFlowJob({ id: randomUUID(), flowVersionId: 'version', projectId: 'project' }, 'BEGIN');
    const job = await queue.add('ExecuteFlowJob', { runs: [run] }, { jobId: randomUUID(), priority: 1, attempts: 1 });
    return job.id ?? '';
  };
  /** Executes the one job that waits, until it has ended. */
  const execute = async (work: () => Promise<void>): Promise<void> => {
    const worker = new Worker<RunJobData, void, JobKind>(
      queue.name,
      work,
      queueWorkerOptions(settings, { concurrency: 1 }),
    );
    await new Promise((resolve) => {
      worker.once('completed', resolve);
      worker.once('failed', resolve);
    });
    await worker.close();
  };

  it('are counted by state, those with a priority as waiting', async () => {
    await add();

    expect(await countJobs(queue)).toEqual({
      waiting: 1,
      active: 0,
      completed: 0,
      failed: 0,
      delayed: 0,
      paused: 0,
    });
  });

  it('are counted by the worker in which they used up their attempts, and not while they are tried again', async () => {
    const run = executeFlowJob({ id: randomUUID(), flowVersionId: 'version', projectId: 'project' }, 'BEGIN');
    await queue.add('ExecuteFlowJob', { runs: [run] }, { jobId: randomUUID(), priority: 1, attempts: 2 });
    const work = () => Promise.reject(new Error('broken'));
    const worker = new ListenedWorker(queue.name, work, queueWorkerOptions(settings, { concurrency: 1 }));
    const counts: number[] = [];

    await new Promise<void>((resolve) => {
      worker.on('failed', () => {
        counts.push(worker.givenUp);
        if (counts.length === 2) resolve();
      });
    });
    await worker.close();

    expect(counts).toEqual([0, 1]);
  });

  it('are put back once when they have failed, with all their attempts before them', async () => {
    const id = await add();
    await execute(() => Promise.reject(new Error('broken')));
    expect(await countJobs(queue)).toMatchObject({ waiting: 0, failed: 1 });

    await retryFailedJob(queue, id);

    expect(await countJobs(queue)).toMatchObject({ waiting: 1, failed: 0 });
    expect((await queue.getJob(id))?.attemptsMade).toBe(0);
    await expect(retryFailedJob(queue, id)).rejects.toThrow(JobNotFailedError);
    const done = jest.fn(() => Promise.resolve());
    await execute(done);
    expect(done).toHaveBeenCalledTimes(1);
    await expect(retryFailedJob(queue, id)).rejects.toThrow('this one is completed');
  });

  it.each([
    ['of no job', randomUUID()],
    ['that is too long', 'x'.repeat(10_000)],
    ['with a NUL', 'a\0b'],
    ['with colons', 'a:b:c'],
    ['that is a pattern', '*'],
  ])('are unknown by an id %s', async (_what, id) => {
    await expect(retryFailedJob(queue, id)).rejects.toThrow(EntityNotFoundError);
  });
});
