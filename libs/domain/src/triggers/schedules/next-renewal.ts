import type { RenewalTimes } from '../trigger-plan';
import { nextInstant } from './schedule-instants';

const HOUR_MS = 60 * 60 * 1_000;
const MINUTE_MS = 60 * 1_000;
/** Less than five minutes, so that an expression of every five is as it says for renewals that take a while. */
const LEAST_GAP_MS = 4 * MINUTE_MS;

/** When a trigger that is renewed now is renewed again. Throws for an expression that never fires. */
export function nextRenewal(times: RenewalTimes, now: Date): Date {
  if ('everyHours' in times) return new Date(now.getTime() + times.everyHours * HOUR_MS);
  const next = nextInstant({ cron: times.cron, timezone: 'UTC' }, new Date(now.getTime() + LEAST_GAP_MS));
  if (!next) throw new Error(`The cron expression ${JSON.stringify(times.cron)} never fires.`);
  return next;
}
