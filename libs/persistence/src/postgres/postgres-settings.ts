/** How an app reaches the database. */
export interface DatabaseAddress {
  readonly databaseUrl: string;
  /**
   * The database without a pooler. When it differs from `databaseUrl`, a pooler shares sessions at `databaseUrl`: each
   * transaction there may run in another session. Without it, `databaseUrl` leads to the database itself.
   */
  readonly sessionUrl?: string | undefined;
  /** Whether the pooler keeps prepared statements, as PgBouncer does from 1.21 with `max_prepared_statements`. */
  readonly poolerPrepares?: boolean | undefined;
}

/** How an app reaches the database; a URL alone leads to the database itself. */
export type Database = string | DatabaseAddress;

export const addressOf = (database: Database): DatabaseAddress =>
  typeof database === 'string' ? { databaseUrl: database } : database;

/** Whether a pooler that shares sessions is before the database. */
export const isPooled = ({ databaseUrl, sessionUrl = databaseUrl }: DatabaseAddress): boolean =>
  sessionUrl !== databaseUrl;

/** What an app sets to use this library. The class is also the token under which PostgresModule provides the settings. */
export abstract class PostgresSettings implements DatabaseAddress {
  abstract readonly databaseUrl: string;
  abstract readonly sessionUrl?: string | undefined;
  abstract readonly poolerPrepares?: boolean | undefined;
  /** The name of the app's connections in pg_stat_activity. */
  abstract readonly applicationName: string;
  /** How many connections the app's pools may open. */
  abstract readonly connections?: ConnectionShares | undefined;
}

/** How many connections each pool of an app opens at most. */
export interface ConnectionShares {
  /** For what accepts and executes runs. */
  readonly hot: number;
  /** For lists and editing. */
  readonly editing: number;
  /** For the queue in PostgreSQL. */
  readonly queue: number;
}

/** Each app has one connection beside its pools: the one that listens. */
export const SESSION_CONNECTIONS = 1;

/**
 * Divides the connections of an app among its pools, so that no kind of work takes those of another. A queue in Redis
 * needs none.
 */
export function connectionShares(
  total: number,
  { queueInDatabase, edits = false }: { queueInDatabase: boolean; edits?: boolean },
): ConnectionShares {
  const editing = edits ? Math.floor(total / 2) : 0;
  const rest = total - editing;
  const queue = queueInDatabase ? Math.max(1, Math.floor(rest * 0.4)) : 0;
  return { hot: rest - queue, editing, queue };
}

interface DatabaseEnvironment {
  SVC_DATABASE_URL: string;
  SVC_DATABASE_SESSION_URL: string | undefined;
  SVC_DATABASE_POOLER_PREPARES: boolean;
}

/** Translates the names of the environment into those of this library. */
export const databaseAddress = (env: DatabaseEnvironment): DatabaseAddress => ({
  databaseUrl: env.SVC_DATABASE_URL,
  sessionUrl: env.SVC_DATABASE_SESSION_URL,
  poolerPrepares: env.SVC_DATABASE_POOLER_PREPARES,
});

/** Where sessions live that last: those that listen, or hold a lock beyond a transaction. */
export const sessionUrl = (env: { SVC_DATABASE_URL: string; SVC_DATABASE_SESSION_URL: string | undefined }): string =>
  env.SVC_DATABASE_SESSION_URL ?? env.SVC_DATABASE_URL;
