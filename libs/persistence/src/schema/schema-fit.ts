import { WrongSettingError } from '@millrace/domain';
import type { Pool } from 'pg';
import { migrations } from '../migrations/migrations';

/** A migration that the database has, as its table `migration` tells. */
export interface RecordedMigration {
  name: string;
  /** The migration that an app must know since then; null when it may be of any release. */
  needs: string | null;
}

/** How the schema of the database fits this release. */
export type SchemaFit =
  | { kind: 'fits' }
  /** The migrations of this release that the database lacks. */
  | { kind: 'behind'; missing: string[] }
  /** A later release has taken away what this one uses: an app must know this migration. */
  | { kind: 'ahead'; needs: string };

/**
 * A later release only adds to the schema, until it says by `needs` which earlier releases cannot work any more. So
 * migrations that this release does not know are no obstacle.
 */
export function fitOf(recorded: readonly RecordedMigration[], known: readonly string[]): SchemaFit {
  const beyond = recorded.find(({ needs }) => needs !== null && !known.includes(needs));
  if (beyond?.needs) return { kind: 'ahead', needs: beyond.needs };
  const present = new Set(recorded.map(({ name }) => name));
  const missing = known.filter((name) => !present.has(name));
  return missing.length === 0 ? { kind: 'fits' } : { kind: 'behind', missing };
}

/** What a database needs while a backup is being restored into it: nothing that an app of any release knows. */
export const UNFINISHED_RESTORE = 'UnfinishedRestore0000000000000';

const UNFINISHED =
  'SVC_DATABASE_URL names a database with an unfinished restore: run `npm run restore` with the same backup again, or name another database.';

/** Thrown when a later release has taken away what this one uses, or a restore has not ended. A restart does not mend it. */
export class SchemaTooNewError extends WrongSettingError {
  constructor(needs: string) {
    super(
      needs === UNFINISHED_RESTORE
        ? UNFINISHED
        : `SVC_DATABASE_URL names a database of a later release: it needs an app that knows the migration ${needs}. ` +
            'Start a newer release, or take the migrations back by `npm run migrate -- --revert` of the one that made them.',
    );
  }
}

// Releases before this rule made the table without the column.
const RECORDED = `select name, to_jsonb(migration) ->> 'needs' as needs from migration order by id`;
const UNDEFINED_TABLE = '42P01';

/** Reads the migrations that the database has, the oldest first. */
export async function recordedMigrations(db: Pick<Pool, 'query'>): Promise<RecordedMigration[]> {
  try {
    return (await db.query<RecordedMigration>(RECORDED)).rows;
  } catch (error) {
    if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return [];
    throw error;
  }
}

const NAMES = migrations.map(({ name }) => name);

export const readSchemaFit = async (db: Pick<Pool, 'query'>): Promise<SchemaFit> =>
  fitOf(await recordedMigrations(db), NAMES);

/** True when an app of this release can work with the schema now, otherwise why not. */
export async function schemaFits(db: Pick<Pool, 'query'>): Promise<true | string> {
  const fit = await readSchemaFit(db);
  if (fit.kind === 'fits') return true;
  return fit.kind === 'behind'
    ? `the database lacks ${migrationsOf(fit)}: run \`npm run migrate\`.`
    : `the database is of a later release, it needs an app that knows ${fit.needs}.`;
}

/** How many migrations are missing, and the name of the last. */
export const migrationsOf = ({ missing }: Extract<SchemaFit, { kind: 'behind' }>): string =>
  missing.length === 1
    ? `the migration ${missing[0]}`
    : `${missing.length} migrations, of which the last is ${missing.at(-1)}`;
