// Turns settings into BullMQ's options, for Redis and for PostgreSQL.

import { COMPLETED_JOB_RETENTION_SECONDS, JOB_ATTEMPTS, JOB_BACKOFF_MS } from '@millrace/domain';
import {
  createRedisBackend,
  setDefaultBackendFactory,
  type ConnectionOptions,
  type QueueOptions,
  type WorkerOptions,
} from 'bullmq';

import { createLeanPostgresBackend } from './lean-postgres-backend';
import type { QueueSettings } from './queue-settings';
import { redisProducer, redisWorker, useRedis } from './redis-connection';
import type { RunWorkerOptions } from './run-worker';

/** The braces are a Redis Cluster hash tag: all keys of the queue live in one slot. */
const KEY_PREFIX = '{millrace}';

/** How many events Redis keeps. BullMQ writes four events per job, and this service reads none of them. */
const KEPT_EVENTS = 1_000;
/** How many completed jobs Redis keeps. A job takes 1.5 to 5 KB, so an hour of a busy service would fill Redis. */
const MOST_COMPLETED_JOBS = 200_000;
const MOST_COMPLETED_MAINTENANCE_JOBS = 50_000;
const SECONDS_PER_DAY = 86_400;

/** Chooses the store of the queue. BullMQ has one choice per process, so this must precede every Queue and Worker. */
export function useQueueStore({ redisUrl }: Pick<QueueSettings, 'redisUrl'>): void {
  if (redisUrl) useRedis(redisUrl);
  setDefaultBackendFactory(redisUrl ? createRedisBackend : createLeanPostgresBackend);
}

export function queueOptions(settings: QueueSettings): QueueOptions {
  return {
    connection: settings.redisUrl ? redisProducer(settings.redisUrl) : postgres(settings),
    prefix: KEY_PREFIX,
    streams: { events: { maxLen: KEPT_EVENTS } },
    defaultJobOptions: { attempts: JOB_ATTEMPTS, backoff: { type: 'exponential', delay: JOB_BACKOFF_MS } },
  };
}

/**
 * Returns the options that `@Processor(RUN_QUEUE, …)` takes. With Redis they hold a connection of their own, because a
 * worker waits for Redis and a producer must not.
 */
export function queueWorkerOptions(
  settings: QueueSettings,
  intake: Pick<RunWorkerOptions, 'concurrency' | 'room' | 'claimedRuns'>,
): RunWorkerOptions {
  return {
    ...intake,
    connection: settings.redisUrl ? redisWorker(settings.redisUrl) : postgres(settings),
    prefix: KEY_PREFIX,
    lockDuration: 15_000,
    // The job of a dead worker returns to the queue at the first check after its lock has expired.
    stalledInterval: 2_000,
    // A crash must never fail a job: the row of a run decides whether the run goes to the quarantine.
    maxStalledCount: 1_000,
    // An idle worker asks again after so many seconds. A new job wakes it at once in both stores.
    drainDelay: 5,
    // The worker tries again so soon after a lost connection. BullMQ's default would leave it idle for 15 s.
    runRetryDelay: 1_000,
    ...retention(settings),
  };
}

/** The options of a worker of background work, which executes up to `concurrency` jobs at once. */
export const maintenanceWorkerOptions = (settings: QueueSettings, concurrency: number): WorkerOptions => ({
  ...queueWorkerOptions(settings, { concurrency }),
  stalledInterval: 5_000,
  // A job that ends its worker again and again must not do so for ever. Its row is due again when its claim runs out.
  maxStalledCount: 3,
  ...retention(settings, MOST_COMPLETED_MAINTENANCE_JOBS),
});

/** These options are set on the worker, because options of a job are stored with each job. */
function retention(
  settings: QueueSettings,
  mostCompleted = MOST_COMPLETED_JOBS,
): Pick<WorkerOptions, 'removeOnComplete' | 'removeOnFail'> {
  // QueueCleaner removes jobs on PostgreSQL. BullMQ would scan the job table for their age at every completion, and
  // removing them by count leads to deadlocks.
  if (!settings.redisUrl) return {};
  return {
    removeOnComplete: { age: COMPLETED_JOB_RETENTION_SECONDS, count: mostCompleted },
    removeOnFail: {
      age: settings.failedJobRetentionDays * SECONDS_PER_DAY,
      count: settings.failedJobRetentionMaxCount,
    },
  };
}

/** BullMQ's type of a connection names the options of Redis only, but it passes others on to the backend's factory. */
const postgres = (settings: QueueSettings): ConnectionOptions => ({ queueStore: settings });
