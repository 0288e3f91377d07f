import 'reflect-metadata';
import { setPriority } from 'node:os';
import { closeOnSignal, createHttpApp, runApp } from '@millrace/http';
import { keyRing, untilKeysAreOpen } from '@millrace/persistence';
import { readConfig } from './settings/config';
import { WorkerModule } from './worker.module';

/** The worker gives way to the gateway: on a shared machine, webhooks are accepted before runs are executed. */
const LOWER_PRIORITY = 5;

runApp(async () => {
  const config = readConfig(process.env);
  setPriority(LOWER_PRIORITY);
  await untilKeysAreOpen(config.SVC_DATABASE_URL, keyRing(config));
  const app = await createHttpApp(WorkerModule.forRoot(config), config, { name: 'worker' });
  closeOnSignal(app);
  await app.listen(config.SVC_WORKER_PORT, config.SVC_HOST);
});
