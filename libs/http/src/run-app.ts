import { WrongSettingError } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { maskSecrets } from './logs/mask-secrets';
import { logTheEnd } from './start-log';
import { VERSION } from './version/version';
import { Readiness } from './health/readiness';

/** How long requests in flight may take after the app has stopped accepting connections. */
export const DRAIN_MS = 30_000;
/** The exit code for a wrong configuration (EX_CONFIG), which a restart does not mend. */
const EXIT_WRONG_SETTINGS = 78;
/** How many connections the kernel keeps until the app accepts them, up to its own limit. Beyond that, clients wait. */
const CONNECTIONS_TO_ACCEPT = 4_096;
const logger = new Logger('Process');
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** The first process of a container. The kernel drops each signal to it that it does not handle. */
const FIRST_PROCESS = 1;

/** Ends the process as a signal does that nobody handles. */
const endAtOnce = (signal: NodeJS.Signals): never => process.exit(128 + constants.signals[signal]);

/**
 * Starts an app. Wrong settings end the process with the exit code 78 and one line for each setting. Any other error
 * ends it with the exit code 1 and a stack.
 */
export function runApp(start: () => Promise<void>): void {
  if (process.pid === FIRST_PROCESS) for (const signal of SIGNALS) process.on(signal, endAtOnce);
  start().catch((error: unknown) => {
    const isSettings = error instanceof WrongSettingError;
    const text = isSettings ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${maskSecrets(text)}\n`);
    logTheEnd(error);
    process.exit(isSettings ? EXIT_WRONG_SETTINGS : 1);
  });
}

/**
 * Ends the process at SIGTERM or SIGINT while the app is being prepared, with the exit code 0: it has begun nothing that it
 * would have to finish. `closeOnSignal` takes over from it.
 */
export function endStartOnSignal(): void {
  for (const signal of SIGNALS) process.off(signal, endAtOnce).once(signal, endStart);
}

function endStart(signal: NodeJS.Signals): never {
  logStop(signal);
  logger.log('Stopped.');
  process.exit(0);
}

const logStop = (signal: NodeJS.Signals): void =>
  logger.log({ msg: 'Stopping.', signal, version: VERSION, upSeconds: Math.round(process.uptime()) });

/** Lets the app take requests, and logs at which address. */
export async function listen(app: NestFastifyApplication, port: number, host: string): Promise<void> {
  await app.listen({ port, host, backlog: CONNECTIONS_TO_ACCEPT });
  logger.log({ msg: 'Ready.', version: VERSION, address: await app.getUrl() });
}

/**
 * Closes the app by `closeInOrder` at SIGTERM or SIGINT and exits with 0. Exits with 1 when that takes longer than the
 * delay and DRAIN_MS.
 */
export function closeOnSignal(app: NestFastifyApplication, delaySeconds = 0): void {
  let closing = false;
  const close = async (signal: NodeJS.Signals): Promise<void> => {
    if (closing) return;
    closing = true;
    logStop(signal);
    setTimeout(() => endLate(), delaySeconds * 1_000 + DRAIN_MS).unref();
    await closeInOrder(app, delaySeconds);
    logger.log('Stopped.');
    process.exit(0);
  };
  for (const signal of SIGNALS)
    process
      .off(signal, endAtOnce)
      .off(signal, endStart)
      .on(signal, () => {
        close(signal).catch((error: unknown) => {
          process.stderr.write(`${maskSecrets(String(error))}\n`);
          process.exit(1);
        });
      });
}

function endLate(): never {
  logger.warn('Not everything ended in time; the process ends without it.');
  process.exit(1);
}

/**
 * Reports at once that the app is not ready, and accepts requests for the delay, until load balancers have noticed.
 * Each connection ends after its next answer. Then the app accepts no connections, and finishes the requests in flight.
 */
export async function closeInOrder(app: NestFastifyApplication, delaySeconds: number): Promise<void> {
  app.get(Readiness, { strict: false }).close();
  const server = app.getHttpServer();
  endConnectionsWithTheirAnswers(server);
  if (delaySeconds > 0) await sleep(delaySeconds * 1_000);
  stopAccepting(server);
  await app.close();
}

/** Stops accepting before the parts of the app stop. A connection with a pending answer ends right after the answer. */
function stopAccepting(server: Server): void {
  server.keepAliveTimeout = 1; // 0 would mean no limit
  server.close();
}

function endConnectionsWithTheirAnswers(server: Server): void {
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    response.shouldKeepAlive = false;
  });
}
