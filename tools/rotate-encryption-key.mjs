/**
 * `npm run rotate-encryption-key`: wraps all data keys with SVC_ENCRYPTION_KEY, while the service runs with this key and
 * with the old one as SVC_ENCRYPTION_PREVIOUS_KEY. It may be killed and repeated. The built api does the work.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotContinue, giveUp } from './progress.mjs';
import { readSettings } from './start/settings.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'dist/apps/api/main.cjs');

try {
  rotate(environmentOf(readSettings(process.env, root)));
} catch (error) {
  giveUp(error);
}

function environmentOf({ dataDir, databaseUrl }) {
  const credentials = readJson(join(dataDir, 'credentials.json'));
  const url = databaseUrl ?? readJson(join(dataDir, 'running.json'))?.databaseUrl;
  if (!url) throw new CannotContinue('No database is known: start the service first, or set SVC_DATABASE_URL.');
  if (!existsSync(program)) throw new CannotContinue('The api is not built: start the service first.');
  const key = process.env.SVC_ENCRYPTION_KEY || credentials?.encryptionKey;
  return { ...process.env, SVC_DATABASE_URL: url, ...(key && { SVC_ENCRYPTION_KEY: key }) };
}

function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function rotate(env) {
  const api = spawn(process.execPath, [program, 'rotate-encryption-key'], { cwd: root, stdio: 'inherit', env });
  api.once('exit', (code) => (process.exitCode = code ?? 1));
}
