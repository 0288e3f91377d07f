import { randomUUID } from 'node:crypto';
import { BacklogWatch, executeFlowJob, JOB_BACKOFF_MS, SystemClock, type JobKind, type RunJob } from '@millrace/domain';
import { describeJobQueue, InMemoryBacklog, type JobQueueUnderTest } from '@millrace/domain/testing';
import { Queue, Worker } from 'bullmq';
import { BullMqJobQueue } from './bullmq-job-queue';
import type { RunJobData, RunQueue } from './run-queue';
import { LeanPostgresBackend } from './lean-postgres-backend';
import { queueOptions, queueWorkerOptions, useQueueStore } from './queue-connection';
import type { QueueSettings } from './queue-settings';

const databaseUrl = process.env['MILLRACE_TEST_DATABASE_URL'] ?? '';
const redisUrl = process.env['MILLRACE_TEST_REDIS_URL'];
const retention = { failedJobRetentionDays: 7, failedJobRetentionMaxCount: 100_000 };

async function bullMqOver(settings: QueueSettings): Promise<JobQueueUnderTest> {
  useQueueStore(settings);
  const name = `contract-${randomUUID()}`;
  const bullQueue: RunQueue = new Queue(name, queueOptions(settings));
  await bullQueue.waitUntilReady();
  let worker: Worker<RunJobData, void, JobKind> | undefined;
  return {
    queue: new BullMqJobQueue(bullQueue),
    backoffMs: JOB_BACKOFF_MS,
    startWorker: async (process, onEnded) => {
      worker = new Worker<RunJobData, void, JobKind>(
        name,
        (job) => process({ jobId: job.id ?? '', priority: job.opts.priority as 1, runs: job.data.runs }),
        queueWorkerOptions(settings, { concurrency: 1 }),
      );
      worker.on('completed', (job) => {
        const backend = worker?.getBackend();
        const isWritten = backend instanceof LeanPostgresBackend ? backend.writeHeld() : Promise.resolve();
        void isWritten.then(() => onEnded(job.id ?? '', 'completed'));
      });
      worker.on('failed', (job) => job?.finishedOn && onEnded(job.id ?? '', 'failed'));
      await worker.waitUntilReady();
    },
    close: async () => {
      await worker?.close();
      await bullQueue.obliterate({ force: true });
      await bullQueue.close();
    },
  };
}

const aJob = (projectId: string, runs: number, executionType: 'BEGIN' | 'RESUME' = 'BEGIN'): RunJob => ({
  jobId: randomUUID(),
  priority: 1,
  runs: Array.from({ length: runs }, () =>
    executeFlowJob({ id: randomUUID(), flowVersionId: 'version', projectId }, executionType),
  ),
});

function describeFairness(name: string, settings: QueueSettings): void {
  it(`lets nobody wait for a project that floods the queue: ${name}`, async () => {
    useQueueStore(settings);
    const bullQueue: RunQueue = new Queue(`fair-${randomUUID()}`, queueOptions(settings));
    await bullQueue.waitUntilReady();
    const queue = new BullMqJobQueue(
      bullQueue,
      10_000,
      new BacklogWatch(new InMemoryBacklog(), new SystemClock(), jest.fn()),
    );
    const flood = Array.from({ length: 50 }, () => aJob('flood', 16));
    for (const job of flood) await queue.enqueue([job]);
    const [single, goesOn, mixed] = [aJob('quiet', 1), aJob('flood', 1, 'RESUME'), aJob('flood', 15)];
    mixed.runs = [...mixed.runs, ...aJob('another', 1).runs];
    for (const job of [single, goesOn, mixed]) await queue.enqueue([job]);

    const order = (await bullQueue.getPrioritized()).map(({ id }) => id);

    // The first two jobs came while the project had no backlog.
    const [first, second, ...others] = flood.map(({ jobId }) => jobId);
    expect(order.slice(0, 4)).toEqual([first, second, single.jobId, mixed.jobId]);
    expect(order.filter((id) => others.includes(id ?? ''))).toEqual(others);
    expect(order.indexOf(goesOn.jobId)).toBeLessThan(order.indexOf(others.at(-1)));
    await bullQueue.obliterate({ force: true });
    await bullQueue.close();
  });
}

describeJobQueue('BullMQ on PostgreSQL', () => bullMqOver({ databaseUrl, ...retention }));
describeFairness('BullMQ on PostgreSQL', { databaseUrl, ...retention });

if (redisUrl) {
  describeJobQueue('BullMQ on Redis', () => bullMqOver({ databaseUrl, redisUrl, ...retention }));
  describeFairness('BullMQ on Redis', { databaseUrl, redisUrl, ...retention });
} else
  describe.skip('JobQueue: BullMQ on Redis (left out: MILLRACE_TEST_REDIS_URL is not set)', () =>
    it.todo('runs with a Redis'));
