import { nextInstant } from '../schedules/schedule-instants';
import type { AskedSchedule } from '../trigger-plan';

// How long a poll rests until its next turn.
//
// R1. A poll that succeeds rests its interval, give or take a tenth, so that polls which began together drift apart.
// R2. A poll that fails rests its interval, then twice as long, and so on up to six hours, and at least as long as the
//     service asks for.
// R3. A poll whose items still wait for their runs has its next turn at once.
// R4. A poll that may start no runs rests its interval, five minutes at most.
// R5. A poll whose turn in another process has not come rests a minute, give or take a tenth.
// R6. A poll whose trigger has set its own schedule is due by that, to the moment, but not more often than polls may be.

export const LEAST_POLL_MINUTES = 1;
export const MOST_POLL_MINUTES = 31 * 24 * 60;

const MINUTE_MS = 60_000;
const MOST_REFUSED_MINUTES = 5;
const LONGEST_BACK_OFF_MS = 6 * 60 * MINUTE_MS;
const SPREAD = 0.1;

export interface PollOutcome {
  everyMinutes: number;
  /** How often the poll has failed in a row, this time included. */
  failures: number;
  /** How long the service asked to be left alone. */
  retryAfterMs?: number;
  /** Whether items wait for their runs. */
  hasMore?: boolean;
  /** How long it is until the moment that the schedule of the trigger names. */
  dueInMs?: number | undefined;
}

/** The rest in milliseconds. `random` is from 0 to 1. */
export function restOf(
  { everyMinutes, failures, retryAfterMs = 0, hasMore, dueInMs }: PollOutcome,
  random: number,
): number {
  if (hasMore && failures === 0) return 0;
  if (dueInMs !== undefined && failures === 0) return Math.ceil(dueInMs);
  const intervalMs = everyMinutes * MINUTE_MS;

  const backOffMs = Math.min(LONGEST_BACK_OFF_MS, intervalMs * 2 ** Math.max(0, failures - 1));
  const planned = Math.max(intervalMs, backOffMs) * (1 - SPREAD + 2 * SPREAD * random);
  const asked = Math.min(LONGEST_BACK_OFF_MS, retryAfterMs) * (1 + SPREAD * random);
  return Math.round(Math.max(planned, asked));
}

/** How long it is from `now` until the schedule wants the next poll, in milliseconds. */
export function untilScheduled(schedule: AskedSchedule, now: Date): number {
  const leastMs = LEAST_POLL_MINUTES * MINUTE_MS;
  if ('intervalMs' in schedule) return Math.min(MOST_POLL_MINUTES * MINUTE_MS, Math.max(leastMs, schedule.intervalMs));
  const next = nextInstant(schedule, now);
  return next ? next.getTime() - now.getTime() : MOST_POLL_MINUTES * MINUTE_MS;
}

/** The rest in milliseconds of a poll whose turn has not come. `random` is from 0 to 1. */
export const restOfBusy = (random: number): number => restOf({ everyMinutes: LEAST_POLL_MINUTES, failures: 0 }, random);

/** The rest in milliseconds of a poll that may start no runs. `random` is from 0 to 1. */
export const restOfRefused = (everyMinutes: number, random: number): number =>
  restOf({ everyMinutes: Math.min(everyMinutes, MOST_REFUSED_MINUTES), failures: 0 }, random);
