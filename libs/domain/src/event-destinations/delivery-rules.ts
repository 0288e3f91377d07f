import type { SendOutcome } from './send-event';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long after a failed attempt the next one follows. After the last, the delivery has failed. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
];
/** A delay is longer by a random part of up to this, so that events which failed together do not come back together. */
const JITTER = 0.1;

/** A destination on which every attempt has failed for this long is disabled. */
export const LONGEST_FAILURE_MS = 5 * DAY;
export const FAILED_TOO_LONG = 'Every attempt has failed for 5 days.';

/** A destination with more events than this on their way, all since it was enabled, is disabled. */
export const MAX_PENDING_EVENTS = 100_000;
export const TOO_MANY_PENDING = `More than ${MAX_PENDING_EVENTS} events wait for this destination.`;

/** How many ended deliveries of a destination the log keeps, and for how long. */
export const MAX_LOGGED_DELIVERIES = 10_000;
export const DELIVERIES_KEPT_MS = 30 * DAY;

/** What becomes of a delivery. `nextAttempt` is null unless another attempt follows. */
export type AfterAttempt =
  | { status: 'DELIVERED' | 'FAILED'; nextAttempt: null }
  | { status: 'PENDING'; nextAttempt: Date };

/** Decides after an attempt. `attempts` counts the earlier ones; `random` is at least 0 and below 1. */
export function afterAttempt(
  { isDelivered }: Pick<SendOutcome, 'isDelivered'>,
  attempts: number,
  now: Date,
  random: number,
): AfterAttempt {
  if (isDelivered) return { status: 'DELIVERED', nextAttempt: null };
  const delay = RETRY_DELAYS_MS[attempts];
  if (delay === undefined) return { status: 'FAILED', nextAttempt: null };
  return { status: 'PENDING', nextAttempt: new Date(now.getTime() + delay * (1 + JITTER * random)) };
}
