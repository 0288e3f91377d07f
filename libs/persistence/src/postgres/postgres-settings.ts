/** What an app sets to use this library. The class is also the token under which PostgresModule provides the settings. */
export abstract class PostgresSettings {
  abstract readonly databaseUrl: string;
  /** The name of the app's connections in pg_stat_activity. */
  abstract readonly applicationName: string;
}
