import 'reflect-metadata';
import { closeOnSignal, createHttpApp, runApp } from '@millrace/http';
import { checkKeys, nameDatabaseError, webhookKeyRing } from '@millrace/persistence';
import { readConfig } from './settings/config';
import { answerCrossOrigin } from './intake/cross-origin';
import { GatewayModule } from './gateway.module';
import { passToApi } from './proxy/api-proxy';

const MEGABYTE = 1024 * 1024;
/** How many bodies of the largest size the process holds at once. It holds more when they are smaller. */
const BODIES_HELD = 3;
const LEAST_HELD_BODIES = 64 * MEGABYTE;

runApp(async () => {
  const config = readConfig(process.env);
  const largestBody = config.SVC_MAX_WEBHOOK_PAYLOAD_SIZE_MB * MEGABYTE;
  await checkKeys(config.SVC_DATABASE_URL, webhookKeyRing(config));
  const app = await createHttpApp(GatewayModule.forRoot(config), config, {
    name: 'webhook-gateway',
    nameError: nameDatabaseError,
    bodies: 'raw',
    bodyBytes: largestBody,
    heldBodyBytes: Math.max(LEAST_HELD_BODIES, BODIES_HELD * largestBody),
  });
  answerCrossOrigin(app, config.SVC_WEBHOOK_CORS_ORIGINS);
  if (config.SVC_API_UPSTREAM_URL) await passToApi(app, config.SVC_API_UPSTREAM_URL, config.SVC_TRUSTED_PROXIES);
  closeOnSignal(app, config.SVC_SHUTDOWN_DELAY_SECONDS);
  await app.listen(config.SVC_PORT, config.SVC_HOST);
});
