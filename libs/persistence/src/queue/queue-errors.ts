import { reasonOf } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import { postgresFailure } from '../postgres/postgres-failure';
import { redisFailure } from './redis-failure';

const FIRST_QUIET_MS = 5_000;
const LONGEST_QUIET_MS = 600_000;
/** A kind of error that has not come for so long is news again. It is longer than the waits between two tries. */
const OVER_AFTER_MS = 60_000;

/** How often one kind of error is logged while it lasts. */
interface Repetition {
  loggedAt: number;
  seenAt: number;
  quietMs: number;
}

interface ErrorSource {
  /** The options of a queue or a worker. */
  readonly opts?: { connection?: unknown };
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** What each logger has logged, by kind. All connections of a process share it: they lose their Redis together. */
const repetitions = new WeakMap<object, Map<string, Repetition>>();
const QUEUE_LOG = new Logger('Queue');

/**
 * Logs an error at once, and the same kind after 5 s at the soonest and then less and less often while it lasts, every 10
 * minutes in the end. A lost connection reports its error several times a second, for as long as its store is away.
 */
export function logQueueErrors(
  source: ErrorSource,
  logger = QUEUE_LOG,
  now: () => number = () => performance.now(),
): void {
  const byKind = repetitions.get(logger) ?? new Map<string, Repetition>();
  repetitions.set(logger, byKind);
  source.on('error', (error) => {
    const { kind, sentence, mends } = readable(error, isInPostgres(source));
    if (!isDue(byKind, kind, now())) return;
    if (mends) logger.warn(sentence);
    else logger.error(sentence);
  });
}

/** Whether an error of this kind is to be logged now. It is noted either way. */
function isDue(byKind: Map<string, Repetition>, kind: string, now: number): boolean {
  const last = byKind.get(kind);
  if (!last || now - last.seenAt >= OVER_AFTER_MS) {
    byKind.set(kind, { loggedAt: now, seenAt: now, quietMs: FIRST_QUIET_MS });
    return true;
  }
  last.seenAt = now;
  if (now - last.loggedAt < last.quietMs) return false;
  last.loggedAt = now;
  last.quietMs = Math.min(last.quietMs * 2, LONGEST_QUIET_MS);
  return true;
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
