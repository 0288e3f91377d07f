/**
 * `npm run restore -- <folder>` restores a backup into the empty database of SVC_DATABASE_URL, or of a data folder that
 * has none. Credentials that are in the backup are used where the data folder has none. With `--check` the backup is
 * only read.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { giveUp } from './progress.mjs';
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
  if (!credentials || args.includes('--check')) return runDatabaseCommand(['restore', ...args], keyOf(credentials));
  makeDataDir(dataDir);
  return runDatabaseCommand(['restore', ...args, `--credentials=${placeIn(dataDir)}`], keyOf(credentials));
}

const placeIn = (dataDir) => join(dataDir, 'credentials.json');

/** The credentials of the backup, when the data folder has none. */
function credentialsToTake(args, dataDir) {
  if (existsSync(placeIn(dataDir))) return undefined;
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

try {
  process.exitCode = await restore(process.argv.slice(2));
} catch (error) {
  giveUp(error);
}
