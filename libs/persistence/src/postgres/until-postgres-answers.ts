import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf, ServiceUnavailableError } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import { isLoginRefused, postgresFailure } from './postgres-failure';

const ASK_AGAIN_MS = 1_000;
const logger = new Logger('Start');

/**
 * Performs a step of the start of an app, and repeats it while PostgreSQL is away or silent. It says once why it waits,
 * and for what: `purpose` completes the sentence. Rethrows every other error, and that of a PostgreSQL which is away
 * for longer than `forMs`. The step must have time limits.
 */
export async function untilPostgresAnswers<T>(
  purpose: string,
  step: () => Promise<T>,
  { forMs = Infinity, say = (line) => logger.warn(line) }: { forMs?: number; say?: (line: string) => void } = {},
): Promise<T> {
  const end = performance.now() + forMs;
  for (let hasSaid = false; ; hasSaid = true) {
    try {
      return await step();
    } catch (error) {
      if (!isAway(error) || performance.now() >= end) throw error;
      if (!hasSaid) say(`Waiting for the database (SVC_DATABASE_URL), ${purpose}: ${reasonOf(error)}`);
      await sleep(ASK_AGAIN_MS);
    }
  }
}

/**
 * Conflicts with others (`transient`) are none of it: who works in transactions has tried them again already, and to a
 * migrator one of their codes says that PostgreSQL cannot do what a migration asks for. A refused login needs a person.
 */
function isAway(error: unknown): boolean {
  const cause = error instanceof ServiceUnavailableError ? error.cause : error;
  return postgresFailure(cause) === 'unavailable' && !isLoginRefused(cause);
}
