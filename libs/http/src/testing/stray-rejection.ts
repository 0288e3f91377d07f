/** An app whose start leaves a rejection behind that is handled nowhere. */
import { setTimeout as sleep } from 'node:timers/promises';
import { runApp } from '../run-app';
import { startLog } from '../start-log';

runApp({ name: 'api', portSetting: 'SVC_API_PORT' }, async () => {
  startLog('api', 'info', { inForce: {}, warnings: [] });
  void Promise.reject(new Error('The cache is gone, with token=hunter2.'));
  await sleep(60_000);
});
