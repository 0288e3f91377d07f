import { databaseAddress, type DatabaseAddress } from '../postgres/postgres-settings';

/** The settings of the job queue. The class is also their token. */
export abstract class QueueSettings implements DatabaseAddress {
  /** The database that holds the queue when there is no `redisUrl`. */
  abstract readonly databaseUrl: string;
  abstract readonly sessionUrl?: string | undefined;
  abstract readonly poolerPrepares?: boolean | undefined;
  abstract readonly redisUrl?: string | undefined;
  abstract readonly failedJobRetentionDays: number;
  abstract readonly failedJobRetentionMaxCount: number;
  /** How many connections to PostgreSQL all queues and their workers in this process may open together. */
  abstract readonly connections?: number | undefined;
}

/** Translates the names of the environment into those of this library. */
export const queueSettings = (
  env: Parameters<typeof databaseAddress>[0] & {
    SVC_REDIS_URL: string | undefined;
    SVC_REDIS_FAILED_JOB_RETENTION_DAYS: number;
    SVC_REDIS_FAILED_JOB_RETENTION_MAX_COUNT: number;
  },
  connections?: number,
): QueueSettings => ({
  ...databaseAddress(env),
  redisUrl: env.SVC_REDIS_URL,
  failedJobRetentionDays: env.SVC_REDIS_FAILED_JOB_RETENTION_DAYS,
  failedJobRetentionMaxCount: env.SVC_REDIS_FAILED_JOB_RETENTION_MAX_COUNT,
  connections,
});
