const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', SECOND],
];

/** How long ago a moment was, such as "3 min. ago". What is less than a second away is now. */
export function relativeTime(at: string, now: number): string {
  const distance = Date.parse(at) - now;
  const [unit, length] = STEPS.find((step) => Math.abs(distance) >= step[1]) ?? ['second', SECOND];
  return relative.format(Math.trunc(distance / length), unit);
}

/** The moment to the second, in the time zone of the browser. */
export const exactTime = (at: string): string => exact.format(Date.parse(at));

/** A duration in milliseconds, such as "48 ms", "1.2 s" or "3 min 5 s". */
export function durationWords(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${number.format(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.floor((ms % MINUTE) / SECOND)} s`;
  return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} min`;
}
