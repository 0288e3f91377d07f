/** What an app sets to use this library. The class is also the token under which PostgresModule provides the settings. */
export abstract class PostgresSettings {
  abstract readonly databaseUrl: string;
  /** The name of the app's connections in pg_stat_activity. */
  abstract readonly applicationName: string;
}

/** Where sessions live that last: those that listen, or hold a lock beyond a transaction. */
export const sessionUrl = (env: { SVC_DATABASE_URL: string; SVC_DATABASE_SESSION_URL: string | undefined }): string =>
  env.SVC_DATABASE_SESSION_URL ?? env.SVC_DATABASE_URL;
