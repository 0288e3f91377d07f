/**
 * `nx serve` loads this file into an app before it starts (see `runtimeArgs` in its project.json). The file gives the
 * app the same environment as `npm start`: the embedded database and its secrets of the data directory. The ports are
 * fixed, so that three terminals can serve the three apps. Variables that are set already keep their values.
 */
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';

const API_PORT = '3001';
/** The variable in which nx names the file that it serves. */
const SERVED = process.env.NX_FILE_TO_RUN ?? process.argv[1] ?? '';

async function giveEnvironment() {
  const { usePostgres } = await import('./embedded-postgres.mjs');
  const { makeDataDir, openCredentials } = await import('./start/credentials.mjs');
  const { environmentFor } = await import('./start/known-settings.mjs');
  const { readSettings } = await import('./start/settings.mjs');
  const settings = readSettings(process.env, fileURLToPath(new URL('..', import.meta.url)));
  makeDataDir(settings.dataDir);
  const databaseUrl = settings.databaseUrl ?? (await usePostgres({ folder: join(settings.dataDir, 'postgres') })).url;
  const apiPort = process.env.SVC_API_PORT || API_PORT;
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const credentials = openCredentials(settings.dataDir, process.env);
  const app = /dist\/apps\/([\w-]+)\//.exec(SERVED)?.[1] ?? 'api';
  const defaults = environmentFor(app, {
    ...credentials.environmentOf(app),
    SVC_DATABASE_URL: databaseUrl,
    SVC_DATA_DIR: settings.dataDir,
    SVC_API_PORT: apiPort,
    SVC_API_URL: apiUrl,
    SVC_API_UPSTREAM_URL: apiUrl,
    SVC_SHUTDOWN_DELAY_SECONDS: '0',
    SVC_MIGRATE_ON_START: 'true',
  });
  for (const [name, value] of Object.entries(defaults)) process.env[name] ||= value;
}

if (isMainThread) await giveEnvironment();
