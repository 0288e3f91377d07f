/**
 * `npm run backup` makes a backup while the service runs, into a new folder of the data folder.
 * `npm run backup -- <folder>` makes it there. `--with-credentials` puts credentials.json into it, with the encryption
 * key; `--without-files` leaves the content of files in the bucket.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotContinue, giveUp } from './progress.mjs';
import { runDatabaseCommand } from './start/database-command.mjs';
import { readSettings } from './start/settings.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const WITH_CREDENTIALS = '--with-credentials';

function argumentsFor(given) {
  const { dataDir } = readSettings(process.env, root);
  const [folder, ...more] = given.filter((arg) => !arg.startsWith('-'));
  const options = given.filter((arg) => arg.startsWith('-') && arg !== WITH_CREDENTIALS);
  if (given.includes(WITH_CREDENTIALS)) options.push(`--credentials=${credentialsIn(dataDir)}`);
  return [
    folder === undefined ? newFolder(dataDir) : resolve(process.env.INIT_CWD ?? '.', folder),
    ...more,
    ...options,
  ];
}

const newFolder = (dataDir) => join(dataDir, 'backups', new Date().toISOString().slice(0, 19).replaceAll(':', '-'));

function credentialsIn(dataDir) {
  const file = join(dataDir, 'credentials.json');
  if (existsSync(file)) return file;
  throw new CannotContinue(`There is no ${file}: make the backup without ${WITH_CREDENTIALS}.`);
}

try {
  process.exitCode = await runDatabaseCommand(['backup', ...argumentsFor(process.argv.slice(2))]);
} catch (error) {
  giveUp(error);
}
