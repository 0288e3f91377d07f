/** Finds out whether a backup is half restored into a database (libs/persistence/src/schema/schema-fit.ts). */
import { WrongSettings } from '../progress.mjs';

export const UNFINISHED_RESTORE = 'UnfinishedRestore0000000000000';

const IS_MARKED = `select from migration where to_jsonb(migration) ->> 'needs' = $1`;
const UNDEFINED_TABLE = '42P01';

/**
 * Throws WrongSettings when the database of the connected client holds an unfinished restore. The apps refuse it too, but
 * by then the launcher would have made secrets that are not those of the backup.
 */
export async function refuseUnfinishedRestore(client) {
  if (!(await isMarked(client))) return;
  throw new WrongSettings(
    'The database holds an unfinished restore, so nothing was started: run `npm run restore -- <folder>` with the same backup again, which finishes it.',
  );
}

async function isMarked(client) {
  try {
    return (await client.query(IS_MARKED, [UNFINISHED_RESTORE])).rowCount > 0;
  } catch (/** @type {any} */ error) {
    if (error.code === UNDEFINED_TABLE) return false; // the database is new
    throw error;
  }
}
