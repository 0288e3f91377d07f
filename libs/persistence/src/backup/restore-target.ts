import { Client, Pool } from 'pg';
import { migrations as ofThisRelease } from '../migrations/migrations';
import { connectionOptions } from '../postgres/connection-options';
import { isLockTimeout } from '../postgres/postgres-failure';
import { QUEUE_SCHEMA } from '../queue/lean-queue.statements';
import { migrate } from '../schema/migrate';
import type { Migration, MigrationClass } from '../schema/migration';
import { MIGRATION_PATIENCE, MigrationSession } from '../schema/migration-session';
import { recordedMigrations, UNFINISHED_RESTORE } from '../schema/schema-fit';
import { prepareForCopies } from './backed-up-tables';
import { BackupError } from './backup-error';
import { connectTo } from './database-failure';
import { checksumOf, type Manifest } from './manifest';

/** The key of the advisory lock. It may be any number that is the same in every process. */
const RESTORE_LOCK = 7_203_115_004;
const APPLICATION_NAME = 'millrace restore';
/** PostgreSQL holds the lock of a process that was killed a little longer, so one that comes at once waits for it. */
const TAKE_LOCK = `begin; set local lock_timeout = '5s'; select pg_advisory_lock(${RESTORE_LOCK}); commit`;

const TABLES = `
  select relname as name from pg_class
  where relnamespace in (select oid from pg_namespace where nspname in ('public', $1)) and relkind in ('r', 'p')
    and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
  limit 1`;

/**
 * The mark of a database that is being restored: the record of a migration that no app knows, and that all must know.
 * Apps of earlier releases refuse it too, by the rule that they have.
 */
class UnfinishedRestore implements Migration {
  async up(): Promise<void> {}
  async down(): Promise<void> {}
}
Object.defineProperty(UnfinishedRestore, 'name', { value: UNFINISHED_RESTORE });

/** What the rows are of is a comment on this table, which says no more than that. */
const restoredFrom = (manifest: Manifest): string => `restored from ${checksumOf(manifest)}`;
const COMMENT = `select obj_description(to_regclass('public.migration'), 'pg_class') as comment`;
/** Whoever led has left their name. The lease is in no backup. */
const IS_USED = 'select from leader_lease where holder is not null limit 1';

/** The database that a backup is restored into. One process at a time restores into it. */
export class RestoreTarget {
  private constructor(
    private readonly client: Client,
    private readonly databaseUrl: string,
  ) {}

  /** Throws BackupError when another process restores into the database. */
  static async open(databaseUrl: string): Promise<RestoreTarget> {
    const client = new Client(connectionOptions(databaseUrl, APPLICATION_NAME));
    await connectTo(client);
    try {
      await client.query(TAKE_LOCK);
      return new RestoreTarget(client, databaseUrl);
    } catch (error) {
      await client.end();
      if (!isLockTimeout(error)) throw error;
      throw new BackupError(
        'Another process restores into this database: wait for its end; if it was killed, try again in a minute, when PostgreSQL has noticed it. Nothing was written.',
      );
    }
  }

  /**
   * Whether the rows of this backup are in the database already, because its restore ended just before its end. Throws
   * BackupError when the database holds anything else but the beginning of a restore. Nothing is ever deleted to make
   * room.
   */
  async isFilledFrom(manifest: Manifest): Promise<boolean> {
    const { rows } = await this.client.query<{ comment: string | null }>(COMMENT);
    if (rows[0]?.comment !== restoredFrom(manifest)) {
      await this.refuseUnlessEmpty(manifest.migrations);
      return false;
    }
    if (await this.isUsed())
      throw new BackupError(
        'The database was restored from this backup before, and has been in use since. To restore it once more, name an empty database. Nothing was written.',
      );
    return true;
  }

  private async isUsed(): Promise<boolean> {
    const { rows } = await this.client.query<{ lease: string | null }>(`select to_regclass('leader_lease') as lease`);
    return rows[0]?.lease !== null && (await this.client.query(IS_USED)).rowCount !== 0;
  }

  private async refuseUnlessEmpty(migrations: readonly string[]): Promise<void> {
    const recorded = (await recordedMigrations(this.client)).map(({ name }) => name);
    if (recorded.includes(UNFINISHED_RESTORE)) {
      const foreign = recorded.find((name) => name !== UNFINISHED_RESTORE && !migrations.includes(name));
      if (foreign === undefined) return;
      throw new BackupError(
        `The database holds an unfinished restore of another backup, with the migration ${foreign}. Finish that one, or name an empty database.`,
      );
    }
    const { rows } = await this.client.query<{ name: string }>(TABLES, [QUEUE_SCHEMA]);
    if (rows[0])
      throw new BackupError(
        `The database is not empty: it has the table ${rows[0].name}. A backup is restored into an empty database. ` +
          'Make a new one and set SVC_DATABASE_URL to it; of `npm start`, stop it and rename the folder `postgres` of its data folder. Nothing was written.',
      );
  }

  /** Marks the empty database, in the turn of a migrator, so that no api migrates it meanwhile. It may be repeated. */
  async mark(say: (line: string) => void): Promise<void> {
    const session = await MigrationSession.open(this.databaseUrl, MIGRATION_PATIENCE, say);
    try {
      const recorded = await recordedMigrations(session.connection);
      if (recorded.some(({ name }) => name === UNFINISHED_RESTORE)) return;
      await this.refuseUnlessEmpty([]);
      await session.inTransaction(async () => {
        await session.query(
          'create table migration (id serial primary key, timestamp bigint not null, name varchar not null, needs varchar)',
        );
        await session.query('insert into migration (timestamp, name, needs) values (0, $1, $1)', [UNFINISHED_RESTORE]);
      });
    } finally {
      await session.close();
    }
  }

  /** Runs the migrations of the backup. */
  async makeSchema(names: readonly string[]): Promise<void> {
    const chosen = ofThisRelease.filter(({ name }) => names.includes(name));
    const migrations: MigrationClass[] = [UnfinishedRestore, ...chosen];
    await migrate(this.databaseUrl, { migrations, upTo: migrations.at(-1)?.name ?? '', say: () => undefined });
  }

  async withPool<T>(work: (pool: Pool) => Promise<T>): Promise<T> {
    const pool = new Pool({ ...connectionOptions(this.databaseUrl, APPLICATION_NAME), max: 1 });
    pool.on('error', () => undefined); // the next statement reports that the connection is lost
    try {
      return await work(pool);
    } finally {
      await pool.end();
    }
  }

  /** Commits what `insert` does together with the end of the mark, and notes of which backup it was. */
  async fill(manifest: Manifest, insert: (client: Client) => Promise<void>): Promise<void> {
    await prepareForCopies(this.client);
    await this.client.query('begin');
    await insert(this.client);
    await this.client.query('delete from migration where name = $1', [UNFINISHED_RESTORE]);
    await this.client.query(`comment on table migration is '${restoredFrom(manifest)}'`);
    await this.client.query('commit');
  }

  /** Tells the planner of what the tables hold now. */
  async analyze(): Promise<void> {
    await this.client.query('analyze');
  }

  /** Ends the connection. What was not committed is gone. */
  close(): Promise<void> {
    return this.client.end();
  }
}
