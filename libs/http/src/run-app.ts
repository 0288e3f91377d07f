import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { maskSecrets } from './mask-secrets';
import { Readiness } from './readiness';
import { EXIT_WRONG_SETTINGS, SettingsError } from './settings';

/** How long what is in flight may take once the door is closed. */
export const DRAIN_MS = 30_000;
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Runs an app's start. Wrong settings end the process with 78 and one line each; anything else with 1 and a stack. */
export function runApp(start: () => Promise<void>): void {
  start().catch((error: unknown) => {
    const isSettings = error instanceof SettingsError;
    const text = isSettings ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${maskSecrets(text)}\n`);
    process.exit(isSettings ? EXIT_WRONG_SETTINGS : 1);
  });
}

/** On SIGTERM or SIGINT the app is closed as `closeInOrder` says, then exit 0; exit 1 when that takes 30 s longer. */
export function closeOnSignal(app: NestFastifyApplication, delaySeconds = 0): void {
  let closing = false;
  const close = async (): Promise<void> => {
    if (closing) return;
    closing = true;
    setTimeout(() => process.exit(1), delaySeconds * 1_000 + DRAIN_MS).unref();
    await closeInOrder(app, delaySeconds);
    process.exit(0);
  };
  for (const signal of SIGNALS)
    process.on(signal, () => {
      close().catch((error: unknown) => {
        process.stderr.write(`${maskSecrets(String(error))}\n`);
        process.exit(1);
      });
    });
}

/**
 * Not ready at once, and for so long still taking requests: until whoever sends them has looked, and sends them elsewhere.
 * Each connection ends with its next answer. Then the door closes, and what is in flight is finished.
 */
export async function closeInOrder(app: NestFastifyApplication, delaySeconds: number): Promise<void> {
  app.get(Readiness, { strict: false }).close();
  const server = app.getHttpServer() as Server;
  endConnectionsWithTheirAnswers(server);
  if (delaySeconds > 0) await sleep(delaySeconds * 1_000);
  closeDoor(server);
  await app.close();
}

/** Before the app's parts stop: they take nothing new then. A connection that still has an answer due ends right after it. */
function closeDoor(server: Server): void {
  server.keepAliveTimeout = 1; // 0 would be for ever
  server.close();
}

function endConnectionsWithTheirAnswers(server: Server): void {
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    response.shouldKeepAlive = false;
  });
}
