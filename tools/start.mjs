/**
 * `npm start`: runs the whole service on this machine, even from a fresh clone. It installs the dependencies, starts
 * the database, builds the apps and starts them. Then it stays as their parent: it restarts an app that dies, and stops
 * all of them in order.
 */
import { once } from 'node:events';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotContinue, giveUp, outliveTheReader, say } from './progress.mjs';
import { ensureBuild } from './start/build.mjs';
import { checkNode } from './start/check-node.mjs';
import { checkOwnDatabase, checkStores } from './start/check-stores.mjs';
import { claimApps } from './start/claim-apps.mjs';
import { makeDataDir, openCredentials } from './start/credentials.mjs';
import { ensureExampleFlow } from './start/example-flow.mjs';
import { hasUsers } from './start/existing-users.mjs';
import { ensureDependencies } from './start/install.mjs';
import { LauncherLog } from './start/launcher-log.mjs';
import { ensurePortIsFree } from './start/ports.mjs';
import { Service } from './start/service.mjs';
import { checkInstallation, readSettings } from './start/settings.mjs';
import { ignoredSettings } from './start/known-settings.mjs';
import { listenForStopRequests } from './start/stop-requests.mjs';
import { printSummary } from './start/summary.mjs';
import { usePostgres } from './embedded-postgres.mjs';
import { freePort } from './tcp-ports.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The folder of `--apps <folder>`, whose apps are built already. The tests of this launcher use it. */
const builtApps = process.argv[2] === '--apps' ? process.argv[3] : undefined;

const { stop, hurry } = listenForStopRequests();
/** The functions that undo the steps of the start. They are called at the end, the newest first. */
const undo = [];
let failure;

async function start(signal) {
  checkNode();
  const settings = readSettings(process.env, root);
  checkInstallation(settings);
  makeDataDir(settings.dataDir);
  undo.push(await claimApps(settings.apps, settings.dataDir));
  const servesHttp = settings.apps.includes('api');
  if (servesHttp) await choosePorts(settings);
  if (!builtApps) await ensureDependencies(root, signal);
  signal.throwIfAborted();
  await warnOfSettings(settings);

  if (!builtApps) await checkStores({ ...settings, redisUrl: process.env.SVC_REDIS_URL });
  let service;
  const database = await openDatabase(settings, () => service?.writeDown());
  signal.throwIfAborted();
  if (!builtApps) await ensureBuild(root, signal);
  signal.throwIfAborted();

  const credentials = openCredentials(settings.dataDir, process.env);
  const makesAdministrator = servesHttp && credentials.isNew && !(await hasUsers(database.url));
  service = new Service({
    root,
    appsFolder: builtApps ? resolve(builtApps) : 'dist/apps',
    settings,
    apiPort: settings.apiPort || (await freePort()),
    workerPort: servesHttp ? undefined : Number(process.env.SVC_WORKER_PORT) || (await freePort()),
    databaseUrl: database.url,
    localDatabaseUrl: database.localUrl,
    postgresPid: database.pid,
    credentials,
    onHopeless: (error) => stop.abort(error),
  });
  undo.push(() => service.stop(hurry));
  say(`Starting ${settings.apps.join(', ')}.`);
  await service.start(signal);
  const flowId = servesHttp ? await ensureExampleFlow(service.gatewayUrl, credentials) : undefined;
  printSummary({ service, credentials, makesAdministrator, flowId, databaseFolder: database.folder });
}

async function warnOfSettings({ apps, dataDir }) {
  const log = new LauncherLog(dataDir);
  for (const line of await ignoredSettings(apps, process.env)) {
    say(`Warning: ${line}`);
    log.write('warn', line);
  }
}

async function choosePorts(settings) {
  if (settings.port === 0) settings.port = await freePort();
  await ensurePortIsFree('SVC_PORT', settings.host, settings.port);
  if (settings.apiPort) await ensurePortIsFree('SVC_API_PORT', '127.0.0.1', settings.apiPort);
}

async function openDatabase({ databaseUrl, dataDir }, onRestart) {
  if (databaseUrl) return { url: databaseUrl };
  const postgres = await usePostgres({ folder: resolve(dataDir, 'postgres'), onRestart });
  undo.push(() => postgres.stop());
  await checkOwnDatabase({ url: postgres.url, dataDir });
  say(`PostgreSQL ${postgres.joined ? 'was running already' : 'runs'}, its data is in ${postgres.folder}`);
  return postgres;
}

outliveTheReader();
process.chdir(root);
try {
  await start(stop.signal);
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
} catch (error) {
  if (!stop.signal.aborted) failure = error;
}
if (stop.signal.reason instanceof CannotContinue) failure = stop.signal.reason;
for (const step of undo.reverse()) await step();
if (failure) giveUp(failure);
say('Stopped.');
process.exit(0);
