/**
 * Runs a command of the built api on the database of an installation: that of SVC_DATABASE_URL, or the embedded one of
 * SVC_DATA_DIR, which is started for the command when the service does not run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { usePostgres } from '../embedded-postgres.mjs';
import { say } from '../progress.mjs';
import { ensureBuild } from './build.mjs';
import { makeDataDir } from './credentials.mjs';
import { readSettings } from './settings.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** @type {NodeJS.Signals[]} */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/**
 * @param {string[]} args the command of the api, and what follows it
 * @param {Record<string, string>} [more] more of its environment
 * @returns {Promise<number>} the exit code
 */
export async function runDatabaseCommand(args, more = {}) {
  const { dataDir, databaseUrl } = readSettings(process.env, root);
  await ensureBuild(root);
  if (databaseUrl) return runApi(args, { SVC_DATABASE_URL: databaseUrl, ...keyIn(dataDir), ...more });
  makeDataDir(dataDir);
  say(`SVC_DATABASE_URL is not set: the database is that of the data directory ${dataDir}`);
  const postgres = await usePostgres({ folder: resolve(dataDir, 'postgres') });
  try {
    return await runApi(args, { SVC_DATABASE_URL: postgres.url, ...keyIn(dataDir), ...more });
  } finally {
    await postgres.stop();
  }
}

/** The encryption key of a local installation; the environment may have another one. */
function keyIn(dataDir) {
  const file = join(dataDir, 'credentials.json');
  const key = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).encryptionKey : undefined;
  return key && !process.env.SVC_ENCRYPTION_KEY ? { SVC_ENCRYPTION_KEY: key } : {};
}

async function runApi(args, environment) {
  const api = spawn(process.execPath, [join(root, 'dist/apps/api/main.cjs'), ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  // The command stops in order, and so does then the PostgreSQL that was started for it.
  const passOn = (signal) => api.kill(signal);
  for (const signal of STOP_SIGNALS) process.on(signal, passOn);
  const [code, signal] = await once(api, 'exit');
  for (const signal of STOP_SIGNALS) process.off(signal, passOn);
  if (signal) say(`The command was ended by ${signal}, and has not finished: run it again.`);
  return code ?? 1;
}
