import { Client, Pool } from 'pg';
import { migrations as ofThisRelease } from '../migrations/migrations';
import { connectionOptions } from '../postgres/connection-options';
import { QUEUE_SCHEMA } from '../queue/lean-queue.statements';
import { migrate } from '../schema/migrate';
import type { Migration, MigrationClass } from '../schema/migration';
import { MIGRATION_PATIENCE, MigrationSession } from '../schema/migration-session';
import { recordedMigrations, UNFINISHED_RESTORE } from '../schema/schema-fit';
import { prepareForCopies } from './backed-up-tables';
import { BackupError } from './backup-error';

/** The key of the advisory lock. It may be any number that is the same in every process. */
const RESTORE_LOCK = 7_203_115_004;
const APPLICATION_NAME = 'millrace restore';

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

/** The database that a backup is restored into. One process at a time restores into it. */
export class RestoreTarget {
  private constructor(
    private readonly client: Client,
    private readonly databaseUrl: string,
  ) {}

  /** Throws BackupError when another process restores into the database. */
  static async open(databaseUrl: string): Promise<RestoreTarget> {
    const client = new Client(connectionOptions(databaseUrl, APPLICATION_NAME));
    client.on('error', () => undefined); // the next statement reports that the connection is lost
    await client.connect();
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [RESTORE_LOCK]);
    if (rows[0]?.taken) return new RestoreTarget(client, databaseUrl);
    await client.end();
    throw new BackupError('Another process restores into this database. Nothing was written.');
  }

  /**
   * Throws BackupError when the database holds anything but the beginning of a restore of these migrations. Nothing is
   * ever deleted to make room.
   */
  async refuseUnlessEmpty(migrations: readonly string[]): Promise<void> {
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
    try {
      return await work(pool);
    } finally {
      await pool.end();
    }
  }

  /** Commits what `insert` does together with the end of the mark. */
  async fill(insert: (client: Client) => Promise<void>): Promise<void> {
    await prepareForCopies(this.client);
    await this.client.query('begin');
    await insert(this.client);
    await this.client.query('delete from migration where name = $1', [UNFINISHED_RESTORE]);
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
