import { randomUUID } from 'node:crypto';
import { JOB_BACKOFF_MS, type JobKind } from '@millrace/domain';
import { describeJobQueue, type JobQueueUnderTest } from '@millrace/domain/testing';
import { Queue, Worker } from 'bullmq';
import { BullMqJobQueue, type RunJobData, type RunQueue } from './bullmq-job-queue';
import { LeanPostgresBackend } from './lean-postgres-backend';
import { queueOptions, queueWorkerOptions, useQueueStore, type QueueSettings } from './queue-connection';

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

describeJobQueue('BullMQ on PostgreSQL', () => bullMqOver({ databaseUrl, ...retention }));

if (redisUrl) describeJobQueue('BullMQ on Redis', () => bullMqOver({ databaseUrl, redisUrl, ...retention }));
else
  describe.skip('JobQueue: BullMQ on Redis (left out: MILLRACE_TEST_REDIS_URL is not set)', () =>
    it.todo('runs with a Redis'));
