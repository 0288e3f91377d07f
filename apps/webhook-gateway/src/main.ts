import 'reflect-metadata';
import {
  answerProbesWhile,
  closeOnSignal,
  createHttpApp,
  endStartOnSignal,
  listen,
  runApp,
  startLog,
  startTracing,
} from '@millrace/http';
import { checkKeys, nameDatabaseError, sessionUrl, untilSchemaFits, webhookKeyRing } from '@millrace/persistence';
import { METRICS } from '@millrace/domain';
import { gatewayInForce, ignoredSettings, sessionDatabaseAt } from '@millrace/settings';
import { readConfig, type GatewayConfig } from './settings/config';
import { answerCrossOrigin } from './intake/cross-origin';
import { letInByTurns } from './intake/let-in';
import { GatewayModule } from './gateway.module';
import { passToApi } from './proxy/api-proxy';

const MEGABYTE = 1024 * 1024;
/** How many bodies of the largest size the process holds at once. It holds more when they are smaller. */
const BODIES_HELD = 3;
const LEAST_HELD_BODIES = 64 * MEGABYTE;
/** The routes of webhooks for published flows. What is refused here is counted apart from drafts and the api's requests. */
const PUBLISHED_FLOWS = new Set(['/api/v1/webhooks/:flowId', '/api/v1/webhooks/:flowId/sync']);

runApp({ name: 'webhook-gateway', portSetting: 'SVC_PORT', nameError: nameDatabaseError }, async () => {
  const config = readConfig(process.env);
  const warnings = ignoredSettings(['webhook-gateway'], process.env);
  startLog('webhook-gateway', config.SVC_LOG_LEVEL, { inForce: gatewayInForce(config), warnings });
  endStartOnSignal();
  const app = await answerProbesWhile(config.SVC_PORT, config.SVC_HOST, () => start(config));
  answerCrossOrigin(app, config.SVC_WEBHOOK_CORS_ORIGINS);
  letInByTurns(app, PUBLISHED_FLOWS);
  if (config.SVC_API_UPSTREAM_URL) await passToApi(app, config.SVC_API_UPSTREAM_URL, config.SVC_TRUSTED_PROXIES);
  closeOnSignal(app, config.SVC_SHUTDOWN_DELAY_SECONDS);
  await listen(app, config.SVC_PORT, config.SVC_HOST);
});

async function start(config: GatewayConfig): ReturnType<typeof createHttpApp> {
  await untilSchemaFits(sessionUrl(config), sessionDatabaseAt(config));
  await checkKeys(sessionUrl(config), webhookKeyRing(config));
  const largestBody = config.SVC_MAX_WEBHOOK_PAYLOAD_SIZE_MB * MEGABYTE;
  return createHttpApp(GatewayModule.forRoot(config), config, {
    name: 'webhook-gateway',
    tracing: await startTracing('webhook-gateway', process.env),
    nameError: nameDatabaseError,
    bodies: 'raw',
    countedApart: { metric: METRICS.webhooksRefused, routes: PUBLISHED_FLOWS },
    bodyBytes: largestBody,
    heldBodyBytes: Math.max(LEAST_HELD_BODIES, BODIES_HELD * largestBody),
  });
}
