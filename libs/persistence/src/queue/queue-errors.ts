import { reasonOf } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import { postgresFailure } from '../postgres/postgres-failure';
import { redisFailure } from './redis-failure';

const QUIET_MS = 5_000;

interface ErrorSource {
  /** The options of a queue or a worker. */
  readonly opts?: { connection?: unknown };
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** When each kind was logged last. All connections of a process share it: they lose their Redis together. */
const logged = new WeakMap<object, Map<string, number>>();
const QUEUE_LOG = new Logger('Queue');

/** Logs each kind of error at most once in five seconds. A lost connection reports its error several times a second. */
export function logQueueErrors(
  source: ErrorSource,
  logger = QUEUE_LOG,
  now: () => number = () => performance.now(),
): void {
  const loggedAt = logged.get(logger) ?? new Map<string, number>();
  logged.set(logger, loggedAt);
  source.on('error', (error) => {
    const { kind, sentence, mends } = readable(error, isInPostgres(source));
    const last = loggedAt.get(kind);
    if (last !== undefined && now() - last < QUIET_MS) return;
    loggedAt.set(kind, now());
    if (mends) logger.warn(sentence);
    else logger.error(sentence);
  });
}

const isInPostgres = ({ opts }: ErrorSource): boolean =>
  typeof opts?.connection === 'object' && opts.connection !== null && 'queueStore' in opts.connection;

interface Readable {
  kind: string;
  /** What is logged. */
  sentence: string;
  /** Whether it mends by itself at once. */
  mends?: true;
}

function readable(error: Error & { code?: string }, inPostgres: boolean): Readable {
  if (error.message.startsWith('Socket timeout'))
    return { kind: 'silent', sentence: 'A connection to Redis was silent and is made anew.', mends: true };
  const failure = inPostgres ? databaseFailure(error) : redisFailure(error);
  if (failure !== null) return { kind: failure, sentence: failure };
  const kind = kindOf(error);
  return { kind, sentence: error.message.includes(kind) ? error.message : `${kind}: ${error.message}` };
}

const databaseFailure = (error: Error): string | null =>
  postgresFailure(error) === 'unavailable'
    ? `The queue does not reach the database (SVC_DATABASE_URL): ${reasonOf(error)}`
    : null;

/** A refused connection may have a code and no message; other errors have only a name. There are few of both. */
const kindOf = (error: Error & { code?: string }): string => error.code ?? error.name;
