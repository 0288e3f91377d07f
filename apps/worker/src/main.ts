import 'reflect-metadata';
import { hostname } from 'node:os';
import type { WorkerProfile } from '@millrace/domain';
import {
  answerProbesWhile,
  closeOnSignal,
  createHttpApp,
  endStartOnSignal,
  listen,
  lowerPriority,
  runApp,
  startLog,
  startTracing,
  VERSION,
} from '@millrace/http';
import {
  keyRing,
  nameDatabaseError,
  newId,
  sessionUrl,
  untilKeysAreOpen,
  untilSchemaFits,
} from '@millrace/persistence';
import { ignoredSettings, sessionDatabaseAt, workerInForce } from '@millrace/settings';
import { withSettingsOfApi } from './registration/settings-of-api';
import { untilRegistered, warnOfOtherQueue } from './registration/until-registered';
import { WorkerRegistration } from './registration/worker-registration';
import { queueOf, readConfig, type WorkerConfig } from './settings/config';
import { WorkerModule } from './worker.module';

/** Ends the process as a signal from outside does (see `closeOnSignal`). */
const stop = (): void => void process.kill(process.pid, 'SIGTERM');

/** The worker gives way to the gateway: on a shared machine, webhooks are accepted before runs are executed. */
const NICENESS = 5;

runApp({ name: 'worker', portSetting: 'SVC_WORKER_PORT', nameError: nameDatabaseError }, async () => {
  const own = readConfig(process.env);
  const warnings = ignoredSettings(['worker'], process.env);
  startLog('worker', own.SVC_LOG_LEVEL, { inForce: workerInForce(own), warnings });
  endStartOnSignal();
  lowerPriority(NICENESS);
  const app = await answerProbesWhile(own.SVC_WORKER_PORT, own.SVC_HOST, () => start(own));
  closeOnSignal(app);
  await listen(app, own.SVC_WORKER_PORT, own.SVC_HOST);
});

async function start(own: WorkerConfig): ReturnType<typeof createHttpApp> {
  await untilSchemaFits(sessionUrl(own), sessionDatabaseAt(own));
  await untilKeysAreOpen(sessionUrl(own), keyRing(own));
  const profile = profileOf(own);
  const registration = new WorkerRegistration(own, profile);
  const welcome = await untilRegistered(registration);
  warnOfOtherQueue(welcome, profile.queue);
  const { settings, heartbeatSeconds } = welcome;
  const config = readConfig(withSettingsOfApi(process.env, settings));
  const heartbeat = { registration, everyMs: heartbeatSeconds * 1_000, stop };
  const tracing = await startTracing('worker', process.env);
  return createHttpApp(WorkerModule.forRoot(config, heartbeat, welcome), config, { name: 'worker', tracing });
}

const profileOf = (config: WorkerConfig): Omit<WorkerProfile, 'pieceIsolation'> => ({
  id: newId(),
  hostname: hostname() || 'unknown',
  version: VERSION,
  queue: queueOf(config),
  concurrency: config.SVC_WORKER_CONCURRENCY,
});
