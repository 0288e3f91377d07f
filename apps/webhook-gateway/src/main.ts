import 'reflect-metadata';
import { closeOnSignal, createHttpApp, runApp } from '@millrace/http';
import { nameDatabaseError } from '@millrace/persistence';
import { readConfig } from './config';
import { GatewayModule } from './gateway.module';
import { passToApi } from './proxy/api-proxy';

const MEGABYTE = 1024 * 1024;

runApp(async () => {
  const config = readConfig(process.env);
  const app = await createHttpApp(GatewayModule.forRoot(config), config, {
    name: 'webhook-gateway',
    nameError: nameDatabaseError,
    bodies: 'raw',
    bodyBytes: config.SVC_MAX_WEBHOOK_PAYLOAD_SIZE_MB * MEGABYTE,
  });
  if (config.SVC_API_UPSTREAM_URL) await passToApi(app, config.SVC_API_UPSTREAM_URL);
  closeOnSignal(app);
  await app.listen(config.SVC_PORT, config.SVC_HOST);
});
