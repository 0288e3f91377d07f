import { randomUUID } from 'node:crypto';
import { JOB_BACKOFF_MS, type JobKind } from '@millrace/domain';
import { describeJobQueue } from '@millrace/domain/testing';
import { Logger } from '@nestjs/common';
import { Worker } from 'bullmq';
import { hasRedisServer, startRedisCluster, type RedisInstallation } from '../testing/redis-servers';
import { describeFailover } from '../testing/runs-through-failover';
import { BullMqJobQueue } from './bullmq-job-queue';
import { ListenedQueue } from './listened-queue';
import { queueOptions, queueWorkerOptions, useQueueStore } from './queue-connection';
import type { RunJobData } from './run-queue';

const RETENTION = { databaseUrl: '', failedJobRetentionDays: 7, failedJobRetentionMaxCount: 100 };

if (hasRedisServer())
  describe('a queue in a Redis Cluster', () => {
    let redis: RedisInstallation;

    beforeAll(async () => {
      Logger.overrideLogger(false);
      redis = await startRedisCluster('{millrace}');
    });
    afterAll(() => redis.stop());

    describeJobQueue('BullMQ on a Redis Cluster', async () => {
      const settings = { ...RETENTION, redisUrl: redis.url };
      useQueueStore(settings);
      const queue = new ListenedQueue<RunJobData, void, JobKind>(`cluster-${randomUUID()}`, queueOptions(settings));
      await queue.waitUntilReady();
      let worker: Worker<RunJobData, void, JobKind> | undefined;
      return {
        queue: new BullMqJobQueue(queue),
        backoffMs: JOB_BACKOFF_MS,
        startWorker: async (process, onEnded) => {
          worker = new Worker<RunJobData, void, JobKind>(
            queue.name,
            (job) => process({ jobId: job.id ?? '', priority: job.opts.priority as 1, runs: job.data.runs }),
            queueWorkerOptions(settings, { concurrency: 1 }),
          );
          worker.on('completed', (job) => onEnded(job.id ?? '', 'completed'));
          worker.on('failed', (job) => job?.finishedOn && onEnded(job.id ?? '', 'failed'));
          await worker.waitUntilReady();
        },
        close: async () => {
          await worker?.close();
          await queue.obliterate({ force: true });
          await queue.close();
        },
      };
    });

    describeFailover('the node that has it is killed and its replica takes over', () => redis);
  });
else
  describe.skip('a queue in a Redis Cluster (left out: there is no redis-server)', () =>
    it.todo('goes on after a failover'));
