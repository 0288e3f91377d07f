// From settings to BullMQ's options, for Redis and for PostgreSQL. What differs between the two stores is decided here and nowhere else.

import { COMPLETED_JOB_RETENTION_SECONDS, JOB_ATTEMPTS, JOB_BACKOFF_MS } from '@millrace/domain';
import {
  createRedisBackend,
  setDefaultBackendFactory,
  type ConnectionOptions,
  type QueueOptions,
  type RedisOptions,
  type WorkerOptions,
} from 'bullmq';

import { LIVELY_CONNECTION } from '../postgres/connection-options';
import { TIME_LIMITS } from '../time-limits';
import { createLeanPostgresBackend } from './lean-postgres-backend';
import { QUEUE_SCHEMA } from './lean-queue.statements';
import { PreparingClient } from './preparing-client';
import type { RunWorkerOptions } from './run-worker';

export interface QueueSettings {
  /** Where the queue is when there is no Redis. */
  databaseUrl: string;
  redisUrl?: string;
  failedJobRetentionDays: number;
  failedJobRetentionMaxCount: number;
}

/** The braces are a Redis Cluster hash tag: all keys of the queue live in one slot. */
const KEY_PREFIX = '{millrace}';
const CONNECTIONS_PER_POOL = 4;
/** BullMQ writes four events a job, and nothing of ours reads them. */
const KEPT_EVENTS = 1_000;
/** An hour of a busy service would fill Redis: a kept job takes 1.5 to 5 KB. */
const MOST_COMPLETED_JOBS = 200_000;
const SECONDS_PER_DAY = 86_400;

/** BullMQ picks the store once per process, not per queue: call before any Queue or Worker is made. */
export function useQueueStore({ redisUrl }: Pick<QueueSettings, 'redisUrl'>): void {
  if (redisUrl) setDefaultBackendFactory(createRedisBackend);
  else setDefaultBackendFactory(createLeanPostgresBackend);
}

export function queueOptions(settings: QueueSettings): QueueOptions {
  return {
    connection: settings.redisUrl ? redisProducer(settings.redisUrl) : postgres(settings.databaseUrl),
    prefix: KEY_PREFIX,
    streams: { events: { maxLen: KEPT_EVENTS } },
    defaultJobOptions: { attempts: JOB_ATTEMPTS, backoff: { type: 'exponential', delay: JOB_BACKOFF_MS } },
  };
}

/** What `@Processor(RUN_QUEUE, …)` takes. It brings its own connection: a worker waits for Redis, a producer must not. */
export function queueWorkerOptions(
  settings: QueueSettings,
  intake: Pick<RunWorkerOptions, 'concurrency' | 'room' | 'claimedRuns'>,
): RunWorkerOptions {
  return {
    ...intake,
    connection: settings.redisUrl ? redisWorker(settings.redisUrl) : postgres(settings.databaseUrl),
    prefix: KEY_PREFIX,
    lockDuration: 15_000,
    // A dead worker's job returns at the first check after its lock has run out.
    stalledInterval: 2_000,
    // A crash must never fail a job: whether a run is poison is decided from its row.
    maxStalledCount: 1_000,
    // Only how often an idle worker asks again: a new job wakes it at once in both stores.
    drainDelay: 5,
    // After a lost connection; BullMQ's own choice would leave the worker idle for 15 s.
    runRetryDelay: 1_000,
    ...retention(settings),
  };
}

/** On the worker and not on each job, where it would be stored a million times. */
function retention(settings: QueueSettings): Pick<WorkerOptions, 'removeOnComplete' | 'removeOnFail'> {
  // On PostgreSQL an age costs a scan of the job table at every completion and a count gives deadlocks: QueueCleaner does it there.
  if (!settings.redisUrl) return {};
  return {
    removeOnComplete: { age: COMPLETED_JOB_RETENTION_SECONDS, count: MOST_COMPLETED_JOBS },
    removeOnFail: {
      age: settings.failedJobRetentionDays * SECONDS_PER_DAY,
      count: settings.failedJobRetentionMaxCount,
    },
  };
}

const redisBase = (url: string): RedisOptions => ({
  url,
  retryStrategy: (attempt: number) => Math.min(attempt * 100, 1_000),
  keepAlive: TIME_LIMITS.idleBeforeProbeMs,
  socketTimeout: TIME_LIMITS.queueMs,
  // ioredis keeps the process this long after its connection was closed.
  disconnectTimeout: 500,
});

/** Refuses while Redis is away, so that a caller learns it now and nothing piles up in memory. */
const redisProducer = (url: string): ConnectionOptions => ({
  ...redisBase(url),
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
});

const redisWorker = (url: string): ConnectionOptions => ({ ...redisBase(url), maxRetriesPerRequest: null });

/** BullMQ's type of a connection names Redis options only, and lets others through. */
const postgres = (connectionString: string): ConnectionOptions => ({
  ...LIVELY_CONNECTION,
  connectionString,
  query_timeout: TIME_LIMITS.queueMs,
  schema: QUEUE_SCHEMA,
  migrate: true,
  max: CONNECTIONS_PER_POOL,
  // One stays open, so that the first webhook after a quiet minute does not wait for a new server process.
  min: 1,
  // A job lost in a power cut is put back by the rescuer, from a run row that was committed with full durability.
  options: `${LIVELY_CONNECTION.options} -c synchronous_commit=off`,
  Client: PreparingClient,
});
