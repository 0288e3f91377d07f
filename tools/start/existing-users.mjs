/** Finds out whether the secrets of a first start meet a database that has been used, for example a restored one. */
import { inSession } from '../postgres/session.mjs';

const PATIENCE_MS = 5_000;

/** Returns whether the database has users, so that the api makes no administrator. A new database has none. */
export async function hasUsers(databaseUrl) {
  try {
    const { rowCount } = await inSession(databaseUrl, PATIENCE_MS, (client) =>
      client.query('select from app_user limit 1'),
    );
    return rowCount === 1;
  } catch {
    return false; // the table is not made yet, or the apps will say what is wrong with the database
  }
}
