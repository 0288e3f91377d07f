/**
 * `nx serve <app>` runs this program beside the app. It runs the embedded PostgreSQL of the data directory while any
 * app is served. When SVC_DATABASE_URL is set it only stays alive, because Nx expects that.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { giveUp, outliveTheReader, say } from './progress.mjs';
import { usePostgres } from './embedded-postgres.mjs';
import { waitUntil } from './running-processes.mjs';
import { makeDataDir } from './start/credentials.mjs';
import { readSettings } from './start/settings.mjs';
import { listenForStopRequests } from './start/stop-requests.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { stop } = listenForStopRequests({ parent: process.ppid });

outliveTheReader();
const stay = setInterval(() => undefined, 60_000);
try {
  const { databaseUrl, dataDir } = readSettings(process.env, root);
  if (databaseUrl) {
    say('The app uses the database of SVC_DATABASE_URL.');
    if (!stop.signal.aborted) await once(stop.signal, 'abort');
  } else {
    makeDataDir(dataDir);
    const postgres = await usePostgres({ folder: join(dataDir, 'postgres') });
    say(`PostgreSQL runs, its data is in ${postgres.folder}`);
    if (!stop.signal.aborted) await once(stop.signal, 'abort');
    // The served app stops at the same moment, so the server may still be in use. Another service may keep it running.
    await waitUntil(async () => (await postgres.stop()) === 'stopped', 5_000, 100);
  }
} catch (error) {
  giveUp(error);
}
clearInterval(stay);
