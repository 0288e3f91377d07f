import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, QueryConfig, QueryResult } from 'pg';
import { connectionOptions } from '../postgres/connection-options';
import { WatchedClient } from '../postgres/watched-client';
import { CLIENT_WAITS_LONGER_MS, TIME_LIMITS } from '../time-limits';

/** The key of the advisory lock. It may be any number that is the same in every process and release. */
const MIGRATION_LOCK = 7_203_115_002;
const APPLICATION_NAME = 'millrace migrations';
/** The longest time that a timer takes, some 24 days. node-postgres takes 0 for the limit of the connection. */
const NO_LIMIT = 2 ** 31 - 1;
/** `idle_session_timeout` exists since this version. */
const ENDS_IDLE_SESSIONS = 140_000;

/** How long a migrator waits for others. */
export interface MigrationPatience {
  /** How long it waits for another migrator to end. */
  turnMs: number;
  /** How long a statement waits for the lock of a table. All later statements on the table wait behind it meanwhile. */
  tableLockMs: number;
  /** How often a migration is tried that could not lock a table, and the pause between two tries. */
  tries: number;
  pauseMs: number;
  /** After this time the server ends the session of a migrator that stands still, and gives the turn to another. */
  frozenMs: number;
  /** After this time without an answer to a statement it says so. */
  silenceMs: number;
}

export const MIGRATION_PATIENCE: MigrationPatience = {
  turnMs: 30 * 60_000,
  tableLockMs: 1_000,
  tries: 100,
  pauseMs: 2_000,
  frozenMs: 30_000,
  silenceMs: 30_000,
};

/** Thrown when another process migrates for longer than this one waits. */
export class MigrationInProgressError extends Error {
  constructor(holder: string) {
    super(`The database is being migrated by another process (${holder}). Try again when it has ended.`);
  }
}

/**
 * The one connection of a migrator. It holds the advisory lock, and all migrations run on it. A process that has lost the
 * lock has therefore lost the connection, and changes nothing more.
 */
export class MigrationSession {
  private constructor(
    private readonly client: Client,
    readonly patience: MigrationPatience,
    private readonly say: (line: string) => void,
  ) {}

  /** Waits for its turn. Throws MigrationInProgressError when the turn does not come. */
  static async open(
    databaseUrl: string,
    patience: MigrationPatience,
    say: (line: string) => void,
  ): Promise<MigrationSession> {
    const client = new WatchedClient({
      ...connectionOptions(databaseUrl, APPLICATION_NAME),
      query_timeout: TIME_LIMITS.statementMs + CLIENT_WAITS_LONGER_MS,
    });
    await client.connect();
    try {
      await setLimits(client, patience);
      await takeTurn(client, patience.turnMs, say);
    } catch (error) {
      await client.end();
      throw error;
    }
    return new MigrationSession(client, patience, say);
  }

  /** The connection itself, for what brings statements of its own. */
  get connection(): Client {
    return this.client;
  }

  async query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    return (await this.send(text, values)).rows as Row[];
  }

  /** Answers as TypeORM's QueryRunner does: the rows, with their number for updates and deletions. */
  async queryAsRunner(text: string, values?: readonly unknown[]): Promise<unknown> {
    const { command, rows, rowCount } = await this.send(text, values);
    return command === 'UPDATE' || command === 'DELETE' ? [rows, rowCount] : rows;
  }

  /** Commits all that `work` does, or nothing. It is repeated while a table or a row stays locked. */
  inTransaction(work: () => Promise<void>): Promise<void> {
    return this.whileLocked(async () => {
      await this.send('begin');
      try {
        await work();
        await this.send('commit');
      } catch (error) {
        await this.send('rollback').catch(() => undefined); // without a connection there is nothing to roll back
        throw error;
      }
    });
  }

  /**
   * Performs `work` outside a transaction, without a limit for locks: `create index concurrently` waits for transactions,
   * and nobody waits for it.
   */
  outsideTransaction(work: () => Promise<void>): Promise<void> {
    return this.whileLocked(async () => {
      await this.send('set lock_timeout = 0');
      try {
        await work();
      } finally {
        await this.send(`set lock_timeout = ${this.patience.tableLockMs}`).catch(() => undefined);
      }
    });
  }

  /** Ends the session, which frees the lock. */
  close(): Promise<void> {
    return this.client.end();
  }

  /** A statement of a migration may take hours. It says so once, because a server that is frozen looks the same. */
  private async send(text: string, values?: readonly unknown[]): Promise<QueryResult> {
    const { silenceMs } = this.patience;
    const sentence = `The database has not answered a statement for ${silenceMs / 1_000} s: it is busy or frozen. The migration goes on when it answers.`;
    const silence = setTimeout(() => this.say(sentence), silenceMs);
    try {
      const statement = { text, values: values && [...values], query_timeout: NO_LIMIT };
      return await this.client.query(statement as QueryConfig);
    } finally {
      clearTimeout(silence);
    }
  }

  private async whileLocked(work: () => Promise<void>): Promise<void> {
    for (let tried = 1; ; tried++) {
      try {
        return await work();
      } catch (error) {
        const { tries } = this.patience;
        if (!isWorthAnotherTry(error) || tried >= tries) throw error;
        this.say(`The migration is tried again (try ${tried} of ${tries} failed: ${(error as Error).message}).`);
        await sleep(this.patience.pauseMs * (0.5 + Math.random() / 2));
      }
    }
  }
}

/**
 * A lock that was not free in time, a deadlock, or a conflict with another transaction. A session that has lost its
 * connection has lost its turn too, so the whole process tries again. SQLSTATE 0A000 means here that PostgreSQL cannot do
 * what the migration asks for, because a migration prepares no statement.
 */
const WORTH_ANOTHER_TRY: ReadonlySet<unknown> = new Set(['55P03', '40P01', '40001']);

const isWorthAnotherTry = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && WORTH_ANOTHER_TRY.has(error.code);

/** Statements of a migration may take long, so only a session that does nothing is ended. */
async function setLimits(client: Client, { tableLockMs, frozenMs }: MigrationPatience): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  );
  const limits = {
    statement_timeout: 0,
    lock_timeout: tableLockMs,
    idle_in_transaction_session_timeout: frozenMs,
    ...((rows[0]?.version ?? 0) >= ENDS_IDLE_SESSIONS && { idle_session_timeout: frozenMs }),
  };
  for (const [name, value] of Object.entries(limits)) await client.query(`set ${name} = ${value}`);
}

const ASK_EVERY_MS = 500;
const HOLDER = `
  select coalesce(nullif(application_name, ''), 'no name') || ', process ' || pid || coalesce(' at ' || client_addr, '') as holder
  from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and pg_locks.database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32 | objid::bigint) = $1 limit 1`;

/**
 * Asks again and again in place of one statement that waits: `create index concurrently` of the other migrator would wait
 * for that statement to end.
 */
async function takeTurn(client: Client, turnMs: number, say: (line: string) => void): Promise<void> {
  const until = performance.now() + turnMs;
  for (let hasSaid = false; ; hasSaid = true) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.taken) return;
    const holder = (await client.query<{ holder: string }>(HOLDER, [MIGRATION_LOCK])).rows[0]?.holder ?? 'unknown';
    if (performance.now() > until) throw new MigrationInProgressError(holder);
    if (!hasSaid) say(`Waiting for another process that migrates the database (${holder}).`);
    await sleep(ASK_EVERY_MS);
  }
}
