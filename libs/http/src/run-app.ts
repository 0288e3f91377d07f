import { reasonOf, ServiceUnavailableError, WrongSettingError } from '@millrace/domain';
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
/** The exit code for an argument that nobody knows (EX_USAGE). */
const EXIT_USAGE = 64;
/** How many connections the kernel keeps until the app accepts them, up to its own limit. Beyond that, clients wait. */
const CONNECTIONS_TO_ACCEPT = 4_096;
const logger = new Logger('Process');
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** The first process of a container. The kernel drops each signal to it that it does not handle. */
const FIRST_PROCESS = 1;

/** Ends the process as a signal does that nobody handles. */
const endAtOnce = (signal: NodeJS.Signals): never => process.exit(128 + constants.signals[signal]);

/** What a process performs in place of serving. It gets the arguments after its name. */
export type Command = (args: readonly string[]) => Promise<void> | void;

export interface App {
  /** The name in what is said to a person. */
  name: string;
  /** The setting that holds the port of the app. */
  portSetting: string;
  /** The commands by their names, which are the first argument of the process. Without an argument the app serves. */
  commands?: Readonly<Record<string, Command>>;
  /** Translates errors of a store, as that of HttpAppOptions. */
  nameError?: (error: unknown) => unknown;
}

/**
 * Starts an app, or performs the command that the arguments name. Wrong settings end the process with the exit code 78
 * and one line for each setting, an unknown argument with 64 and one line, a port that cannot be used or a store that is
 * away with 1 and one line. Any other error ends it with the exit code 1 and a stack, and so does one that is
 * handled nowhere, at any time.
 */
export function runApp(app: App, start: () => Promise<void>, args: readonly string[] = process.argv.slice(2)): void {
  process.off('uncaughtException', endAtStray).on('uncaughtException', endAtStray);
  if (process.pid === FIRST_PROCESS) for (const signal of SIGNALS) process.on(signal, endAtOnce);
  perform(app, start, args).catch((error: unknown) => {
    const isSettings = error instanceof WrongSettingError;
    const sentence = isSettings ? error.message : (portProblem(app, error) ?? absence(app, error));
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${maskSecrets(sentence ?? stack)}\n`);
    logTheEnd(sentence ?? error);
    process.exit(isSettings ? EXIT_WRONG_SETTINGS : 1);
  });
}

/** Ends the process at an error, or a rejection, that is handled nowhere: what it left undone is unknown. */
function endAtStray(error: unknown): never {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${maskSecrets(stack)}\n`);
  logTheEnd(new Error('The process ends, because an error was handled nowhere.', { cause: error }));
  process.exit(1);
}

async function perform(app: App, start: () => Promise<void>, [first, ...others]: readonly string[]): Promise<void> {
  if (first === undefined) return start();
  const { name, commands = {} } = app;
  const command = Object.hasOwn(commands, first) ? commands[first] : undefined;
  if (command) return command(others);
  const known = Object.keys(commands).join(', ');
  const possible = known ? `without one the ${name} is started, and there are ${known}` : `the ${name} takes none`;
  process.stderr.write(`There is no command ${first}: ${possible}.\n`);
  process.exitCode = EXIT_USAGE;
}

/** Returns what is away; undefined for an error of another kind. */
function absence({ name, nameError }: App, error: unknown): string | undefined {
  const named = nameError?.(error) ?? error;
  if (!(named instanceof ServiceUnavailableError)) return undefined;
  return `The ${name} cannot go on. ${named.message} The reason: ${reasonOf(named)}`;
}

/** Returns what to do when the app cannot listen on its port; undefined for every other error. */
function portProblem({ name, portSetting }: App, error: unknown): string | undefined {
  const { syscall, code, port, address } = error as {
    syscall?: string;
    code?: string;
    port?: number;
    address?: string;
  };
  if (syscall !== 'listen') return undefined;
  const begin = `The ${name} cannot listen on port ${port}`;
  if (code === 'EADDRINUSE')
    return `${begin}, because another program uses it: stop that program, or choose another port with ${portSetting}.`;
  if (code === 'EACCES')
    return `${begin}, which needs more rights than this account has: choose one above 1023 with ${portSetting}.`;
  return `${begin} of ${address} (${reasonOf(error)}): correct SVC_HOST or ${portSetting}.`;
}

/**
 * Ends the process at SIGTERM or SIGINT while the app is being prepared, with the exit code 0: it has begun nothing that it
 * would have to finish. `closeOnSignal` takes over from it.
 */
export function endStartOnSignal(): void {
  for (const signal of SIGNALS) process.once(signal, endStart).off(signal, endAtOnce);
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
  // Without any listener Node would drop a signal that it has received and not yet reported, so the new one comes first.
  for (const signal of SIGNALS)
    process
      .on(signal, () => {
        close(signal).catch((error: unknown) => {
          process.stderr.write(`${maskSecrets(String(error))}\n`);
          process.exit(1);
        });
      })
      .off(signal, endAtOnce)
      .off(signal, endStart);
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
