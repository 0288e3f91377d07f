/** What an app sets to use this library. */
export interface PostgresSettings {
  databaseUrl: string;
  /** The name of the app's connections in pg_stat_activity. */
  applicationName: string;
}

export const POSTGRES_SETTINGS = Symbol('PostgresSettings');
