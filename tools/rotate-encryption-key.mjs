/**
 * `npm run rotate-encryption-key`: wraps all data keys with SVC_ENCRYPTION_KEY, while the service runs with this key and
 * with the old one as SVC_ENCRYPTION_PREVIOUS_KEY. It may be killed and repeated. The built api does the work. Where the
 * old key is in `credentials.json` of a local start, the new one then takes its place, so that the next start has it.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotContinue, giveUp, say } from './progress.mjs';
import { replaceEncryptionKey } from './start/credentials.mjs';
import { readSettings } from './start/settings.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'dist/apps/api/main.cjs');

try {
  const settings = readSettings(process.env, root);
  rotate(environmentOf(settings), settings.dataDir);
} catch (error) {
  giveUp(error);
}

function environmentOf({ dataDir, databaseUrl }) {
  const credentials = readJson(join(dataDir, 'credentials.json'));
  const url = databaseUrl ?? readJson(join(dataDir, 'running.json'))?.databaseUrl;
  if (!url)
    throw new CannotContinue(
      'No database is known: start the service first, and set SVC_DATA_DIR as it has it, or set SVC_DATABASE_URL.',
    );
  if (!existsSync(program)) throw new CannotContinue('The api is not built: start the service first.');
  const key = process.env.SVC_ENCRYPTION_KEY || credentials?.encryptionKey;
  return { ...process.env, SVC_DATABASE_URL: url, ...(key && { SVC_ENCRYPTION_KEY: key }) };
}

function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function rotate(env, dataDir) {
  const api = spawn(process.execPath, [program, 'rotate-encryption-key'], { cwd: root, stdio: 'inherit', env });
  api.once('exit', (code) => {
    process.exitCode = code ?? 1;
    if (code === 0 && replaceEncryptionKey(dataDir, env))
      say(`The new key is in ${join(dataDir, 'credentials.json')}.`);
  });
}
