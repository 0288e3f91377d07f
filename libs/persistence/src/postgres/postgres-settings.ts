/** What an app tells this library. */
export interface PostgresSettings {
  databaseUrl: string;
  /** The name the connections carry in pg_stat_activity. */
  applicationName: string;
}

export const POSTGRES_SETTINGS = Symbol('PostgresSettings');
