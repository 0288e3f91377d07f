/**
 * `npm run restore -- <folder>` restores a backup into the empty database of SVC_DATABASE_URL, or of a data folder that
 * has none. Credentials that are in the backup are used where the data folder has none. With `--check` the backup is
 * only read.
 */
import { copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { giveUp, say } from './progress.mjs';
import { makeDataDir } from './start/credentials.mjs';
import { runDatabaseCommand } from './start/database-command.mjs';
import { ensureDependencies } from './start/install.mjs';
import { readSettings } from './start/settings.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

async function restore(given) {
  const { dataDir } = readSettings(process.env, root);
  const args = given.map((arg) => (arg.startsWith('-') ? arg : resolve(process.env.INIT_CWD ?? '.', arg)));
  const credentials = credentialsToTake(args, dataDir);
  await ensureDependencies(root);
  const code = await runDatabaseCommand(['restore', ...args], keyOf(credentials));
  if (code === 0 && credentials && !args.includes('--check')) takeCredentials(credentials, dataDir);
  return code;
}

/** The credentials of the backup, when the data folder has none. */
function credentialsToTake(args, dataDir) {
  if (existsSync(join(dataDir, 'credentials.json'))) return undefined;
  return args.map((arg) => join(arg, 'credentials.json')).find((file) => existsSync(file));
}

/** @returns {Record<string, string>} */
function keyOf(file) {
  if (!file || process.env.SVC_ENCRYPTION_KEY) return {};
  try {
    return { SVC_ENCRYPTION_KEY: JSON.parse(readFileSync(file, 'utf8')).encryptionKey };
  } catch {
    return {}; // the check of the backup says that the file is damaged
  }
}

function takeCredentials(file, dataDir) {
  const taken = join(dataDir, 'credentials.json');
  makeDataDir(dataDir);
  copyFileSync(file, `${taken}.new`); // with its mode, by which only the owner may read it
  renameSync(`${taken}.new`, taken);
  say(`The credentials of the backup are in ${taken}.`);
}

try {
  process.exitCode = await restore(process.argv.slice(2));
} catch (error) {
  giveUp(error);
}
