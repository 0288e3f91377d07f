import { InvalidRequestError } from '../../errors/invalid-request.error';

/** How many days ago a backfill may begin. */
export const BACKFILL_DAYS = 366;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** The time whose instants a backfill fills, which ends now at the latest. Throws InvalidRequestError. */
export function backfillRange({ from, to }: { from: Date; to: Date }, now: Date): { from: Date; to: Date } {
  const problem = (path: string, message: string) => new InvalidRequestError([{ path, message }]);
  if (from.getTime() < now.getTime() - BACKFILL_DAYS * DAY_MS)
    throw problem('/from', `must be at most ${BACKFILL_DAYS} days ago.`);
  if (from > now) throw problem('/from', 'must not be in the future.');
  if (to < from) throw problem('/to', 'must not be before the start.');
  return { from, to: to > now ? now : to };
}
