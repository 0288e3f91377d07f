import 'reflect-metadata';
import { hostname, setPriority } from 'node:os';
import type { WorkerProfile } from '@millrace/domain';
import { closeOnSignal, createHttpApp, runApp, VERSION } from '@millrace/http';
import { keyRing, newId, untilKeysAreOpen } from '@millrace/persistence';
import { withSettingsOfApi } from './registration/settings-of-api';
import { untilRegistered } from './registration/until-registered';
import { WorkerRegistration } from './registration/worker-registration';
import { readConfig, type WorkerConfig } from './settings/config';
import { WorkerModule } from './worker.module';

/** Ends the process as a signal from outside does (see `closeOnSignal`). */
const stop = (): void => void process.kill(process.pid, 'SIGTERM');

/** The worker gives way to the gateway: on a shared machine, webhooks are accepted before runs are executed. */
const LOWER_PRIORITY = 5;

runApp(async () => {
  const own = readConfig(process.env);
  setPriority(LOWER_PRIORITY);
  await untilKeysAreOpen(own.SVC_DATABASE_URL, keyRing(own));
  const registration = new WorkerRegistration(own, profileOf(own));
  const { settings, heartbeatSeconds } = await untilRegistered(registration);
  const config = readConfig(withSettingsOfApi(process.env, settings), () => undefined);
  const heartbeat = { registration, everyMs: heartbeatSeconds * 1_000, stop };
  const app = await createHttpApp(WorkerModule.forRoot(config, heartbeat), config, { name: 'worker' });
  closeOnSignal(app);
  await app.listen(config.SVC_WORKER_PORT, config.SVC_HOST);
});

const profileOf = (config: WorkerConfig): WorkerProfile => ({
  id: newId(),
  hostname: hostname() || 'unknown',
  version: VERSION,
  queue: config.SVC_REDIS_URL === undefined ? 'POSTGRESQL' : 'REDIS',
  concurrency: config.SVC_WORKER_CONCURRENCY,
});
