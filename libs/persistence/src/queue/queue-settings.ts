/** The settings of the job queue. The class is also their token. */
export abstract class QueueSettings {
  /** The database that holds the queue when there is no `redisUrl`. */
  abstract readonly databaseUrl: string;
  abstract readonly redisUrl?: string;
  abstract readonly failedJobRetentionDays: number;
  abstract readonly failedJobRetentionMaxCount: number;
}

/** Translates the names of the environment into those of this library. */
export const queueSettings = (env: {
  SVC_DATABASE_URL: string;
  SVC_REDIS_URL: string | undefined;
  SVC_REDIS_FAILED_JOB_RETENTION_DAYS: number;
  SVC_REDIS_FAILED_JOB_RETENTION_MAX_COUNT: number;
}): QueueSettings => ({
  databaseUrl: env.SVC_DATABASE_URL,
  redisUrl: env.SVC_REDIS_URL,
  failedJobRetentionDays: env.SVC_REDIS_FAILED_JOB_RETENTION_DAYS,
  failedJobRetentionMaxCount: env.SVC_REDIS_FAILED_JOB_RETENTION_MAX_COUNT,
});
