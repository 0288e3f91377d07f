/** Finds out whether a database was used with an encryption key that this installation no longer has. */
import { WrongSettings } from '../progress.mjs';
import { credentialsIn, hasEncryptionKey } from './credentials.mjs';

const HAS_DATA_KEYS = 'select from data_key limit 1';
const UNDEFINED_TABLE = '42P01';

/**
 * Throws WrongSettings when the database of the connected client holds data keys, and neither the environment nor the
 * data folder has an encryption key. The launcher would make a new one, which opens none of them: the apps would refuse
 * it, and the wrong key would stay in the data folder.
 */
export async function refuseLostCredentials(client, dataDir, environment = process.env) {
  if (hasEncryptionKey(dataDir, environment) || !(await hasDataKeys(client))) return;
  throw new WrongSettings(
    `The database holds secrets that an encryption key has sealed, and ${credentialsIn(dataDir)} has none, so nothing was started and no new secrets were made. ` +
      'Put that file back, or set SVC_ENCRYPTION_KEY to your copy of its encryptionKey. Nothing else opens these secrets. ' +
      'To begin anew, move the database away (`postgres` in the data folder), or name an empty one in SVC_DATABASE_URL.',
  );
}

async function hasDataKeys(client) {
  try {
    return (await client.query(HAS_DATA_KEYS)).rowCount > 0;
  } catch (/** @type {any} */ error) {
    if (error.code === UNDEFINED_TABLE) return false; // the database is new, or of a release before data keys
    throw error;
  }
}
