import { Logger } from '@nestjs/common';

const QUIET_MS = 5_000;

interface ErrorSource {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Logs each kind of error at most once in five seconds. A lost connection reports its error several times a second. */
export function logQueueErrors(source: ErrorSource, logger = new Logger('Queue'), now: () => number = Date.now): void {
  const loggedAt = new Map<string, number>();
  source.on('error', (error) => {
    const kind = kindOf(error);
    const last = loggedAt.get(kind);
    if (last !== undefined && now() - last < QUIET_MS) return;
    loggedAt.set(kind, now());
    logger.error(`${kind}: ${error.message}`);
  });
}

/** A refused connection may have a code and no message; other errors have only a name. There are few of both. */
const kindOf = (error: Error & { code?: string }): string => error.code ?? error.name;
