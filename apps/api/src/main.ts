import 'reflect-metadata';
import { closeOnSignal, createHttpApp, publicUrl, runApp } from '@millrace/http';
import { keyRing, migrate, nameRequestError, prepareSecrets } from '@millrace/persistence';
import { AppModule } from './app.module';
import { allowOrigins } from './browsers/cross-origin';
import { sendSecurityHeaders } from './browsers/security-headers';
import { readApiSettings } from './settings/config';
import { serveFrontPage } from './documentation/front-page';
import { serveLiveUpdates } from './live/live-endpoint';
import { printWebhookKey } from './settings/print-webhook-key';
import { rotateEncryptionKey } from './settings/rotate-encryption-key';
import { serveDocumentation } from './documentation/openapi';

/** The argument with which the process rotates the encryption key, and serves nothing. */
const ROTATE = 'rotate-encryption-key';
/** The argument with which the process prints the key of the gateway, and serves nothing. */
const PRINT_WEBHOOK_KEY = 'webhook-key';

runApp(async () => {
  if (process.argv[2] === ROTATE) return rotateEncryptionKey();
  if (process.argv[2] === PRINT_WEBHOOK_KEY) return printWebhookKey();

  const settings = readApiSettings();
  await migrate(settings.SVC_DATABASE_URL);
  await prepareSecrets(settings.SVC_DATABASE_URL, keyRing(settings));
  const app = await createHttpApp(AppModule.forRoot(settings), settings, { name: 'api', nameError: nameRequestError });
  await sendSecurityHeaders(app, publicUrl(settings));
  allowOrigins(app, settings.SVC_API_CORS_ORIGINS);
  serveDocumentation(app);
  serveFrontPage(app);
  serveLiveUpdates(app, settings);
  closeOnSignal(app, settings.SVC_SHUTDOWN_DELAY_SECONDS);
  await app.listen(settings.SVC_API_PORT, settings.SVC_HOST);
});
