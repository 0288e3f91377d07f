import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Level } from 'pino';
import { idsAround } from './log-context';
import { LogOutput } from './log-output';
import { maskFields, maskSecrets } from './mask-secrets';

/** The contexts of some thirty lines that Nest logs while it wires an app. They are written at the level debug. */
const NEST_WIRING: ReadonlySet<unknown> = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Writes one JSON object per line to standard output, with secrets masked. Nest logs through it too. */
export class JsonLogger implements LoggerService {
  private readonly out: ReturnType<typeof pino>;

  constructor(app: string, level: string, destination: DestinationStream = new LogOutput()) {
    this.out = pino({ level, base: { app }, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  }

  isLevelEnabled(level: Level): boolean {
    return this.out.isLevelEnabled(level);
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write(NEST_WIRING.has(rest.at(-1)) ? 'debug' : 'info', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  /** Nest passes the context as the last argument. The stack of an error may precede it. */
  private write(level: Level, message: unknown, rest: unknown[]): void {
    if (!this.out.isLevelEnabled(level)) return;
    const context = typeof rest.at(-1) === 'string' ? rest.at(-1) : undefined;
    const error = [message, ...rest].find((part) => part instanceof Error);
    const stack = error ? stackOf(error) : rest.slice(0, -1).find((part) => typeof part === 'string');
    const fields =
      typeof message === 'object' && message !== null && !(message instanceof Error) ? maskFields(message) : {};
    const text = message instanceof Error ? message.message : typeof message === 'string' ? message : undefined;
    this.out[level](
      { context, ...idsAround(fields), ...fields, ...(typeof stack === 'string' ? { stack: maskSecrets(stack) } : {}) },
      text === undefined ? undefined : maskSecrets(text),
    );
  }
}

/** A chain of causes longer than this may be a circle. */
const MOST_CAUSES = 10;

function stackOf(error: Error, before = 0): string {
  const own = error.stack ?? String(error);
  const goesOn = error.cause instanceof Error && before < MOST_CAUSES;
  return goesOn ? `${own}\nCaused by: ${stackOf(error.cause as Error, before + 1)}` : own;
}
