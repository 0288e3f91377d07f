import { Logger } from '@nestjs/common';

const QUIET_MS = 5_000;

interface ErrorSource {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Says each kind of trouble at most once per five seconds; a lost connection repeats itself several times a second. */
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

/** A connection refused on two addresses has an empty message and only a code; others have only a name. Both are few. */
const kindOf = (error: Error & { code?: string }): string => error.code ?? error.name;
