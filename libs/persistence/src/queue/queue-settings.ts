/** The settings of the job queue. The class is also their token. */
export abstract class QueueSettings {
  /** The database that holds the queue when there is no `redisUrl`. */
  abstract readonly databaseUrl: string;
  abstract readonly redisUrl?: string;
  abstract readonly failedJobRetentionDays: number;
  abstract readonly failedJobRetentionMaxCount: number;
}
