/** An app that gets SIGTERM in the moment in which its start ends, before its event loop turns again. */
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { closeOnSignal, endStartOnSignal, runApp } from '../run-app';
import { startLog } from '../start-log';

runApp({ name: 'api', portSetting: 'SVC_API_PORT' }, async () => {
  startLog('api', 'info', { inForce: {}, warnings: [] });
  endStartOnSignal();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const app = { get: () => ({ close: () => undefined }), getHttpServer: () => server, close: () => Promise.resolve() };

  process.kill(process.pid, 'SIGTERM');
  closeOnSignal(app as unknown as NestFastifyApplication);
});
