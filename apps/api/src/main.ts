import 'reflect-metadata';
import {
  answerProbesWhile,
  closeOnSignal,
  createHttpApp,
  endStartOnSignal,
  listen,
  publicUrl,
  runApp,
  startLog,
  type App,
} from '@millrace/http';
import {
  keyRing,
  nameDatabaseError,
  nameRequestError,
  prepareSecrets,
  sessionUrl,
  untilMigrated,
  untilSchemaFits,
} from '@millrace/persistence';
import { apiInForce, ignoredSettings, sessionDatabaseAt } from '@millrace/settings';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module';
import { allowOrigins } from './browsers/cross-origin';
import { sendSecurityHeaders } from './browsers/security-headers';
import { consoleFolder } from './console/console-files';
import { serveConsole } from './console/console-pages';
import { readApiSettings, type ApiSettings } from './settings/config';
import { printDocument } from './print-document';
import { serveFrontPage } from './documentation/front-page';
import { serveLiveUpdates } from './live/live-endpoint';
import { makeBackup, restoreBackup } from './settings/backups';
import { migrateDatabase } from './settings/migrate-database';
import { printWebhookKey } from './settings/print-webhook-key';
import { rotateEncryptionKey } from './settings/rotate-encryption-key';
import { serveDocumentation } from './documentation/openapi';

const API: App = {
  name: 'api',
  portSetting: 'SVC_API_PORT',
  nameError: nameDatabaseError,
  commands: {
    migrate: (args) => migrateDatabase(args),
    'rotate-encryption-key': rotateEncryptionKey,
    'webhook-key': printWebhookKey,
    backup: makeBackup,
    restore: restoreBackup,
    openapi: printDocument,
  },
};

runApp(API, async () => {
  const settings = readApiSettings();
  const warnings = ignoredSettings(['api'], process.env);
  startLog('api', settings.SVC_LOG_LEVEL, { inForce: apiInForce(settings), warnings });
  endStartOnSignal();
  const app = await answerProbesWhile(settings.SVC_API_PORT, settings.SVC_HOST, async () => {
    await prepareDatabase(settings);
    return createHttpApp(AppModule.forRoot(settings), settings, {
      name: 'api',
      nameError: nameRequestError,
      namesRequestsInLog: true,
    });
  });
  await sendSecurityHeaders(app, publicUrl(settings));
  allowOrigins(app, settings.SVC_API_CORS_ORIGINS);
  serveDocumentation(app);
  await serveFirstPage(app, settings);
  serveLiveUpdates(app, settings);
  closeOnSignal(app, settings.SVC_SHUTDOWN_DELAY_SECONDS);
  await listen(app, settings.SVC_API_PORT, settings.SVC_HOST);
});

/** Serves the console, or leads browsers to the documentation of the API where it is switched off. */
async function serveFirstPage(app: NestFastifyApplication, settings: ApiSettings): Promise<void> {
  const folder = settings.SVC_CONSOLE_ENABLED ? consoleFolder(__dirname) : null;
  if (folder !== null) return serveConsole(app, folder);
  if (settings.SVC_CONSOLE_ENABLED) new Logger('Console').warn('It is not served, because it was not built.');
  serveFrontPage(app);
}

async function prepareDatabase(settings: ApiSettings): Promise<void> {
  if (settings.SVC_MIGRATE_ON_START) await untilMigrated(sessionUrl(settings));
  await untilSchemaFits(sessionUrl(settings), sessionDatabaseAt(settings));
  await prepareSecrets(sessionUrl(settings), keyRing(settings));
}
