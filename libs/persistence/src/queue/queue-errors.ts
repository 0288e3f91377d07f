import { Logger } from '@nestjs/common';

const QUIET_MS = 5_000;

interface ErrorSource {
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
    const { kind, sentence, mends } = readable(error);
    const last = loggedAt.get(kind);
    if (last !== undefined && now() - last < QUIET_MS) return;
    loggedAt.set(kind, now());
    if (mends) logger.warn(sentence);
    else logger.error(sentence);
  });
}

/** The sentence to log about an error, and whether it mends by itself at once. */
function readable(error: Error & { code?: string }): { kind: string; sentence: string; mends?: true } {
  if (error.message.startsWith('Socket timeout'))
    return { kind: 'silent', sentence: 'A connection to Redis was silent and is made anew.', mends: true };
  const kind = kindOf(error);
  if (error.message.startsWith("Stream isn't writeable"))
    return { kind, sentence: 'Redis is not connected (SVC_REDIS_URL).' };
  return { kind, sentence: error.message.includes(kind) ? error.message : `${kind}: ${error.message}` };
}

/** A refused connection may have a code and no message; other errors have only a name. There are few of both. */
const kindOf = (error: Error & { code?: string }): string => error.code ?? error.name;
