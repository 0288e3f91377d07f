import type { Timetable } from '../triggers/schedules/schedule-instants';

// The instants of a schedule, found by looking at the clock every minute. It is slow, and shares nothing with the rule.
// It knows numbers, lists, ranges and steps.

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** All instants from `from` on and before `to`. */
export function modelledInstants({ cron, timezone }: Timetable, from: Date, to: Date): Date[] {
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = cron.split(' ');
  const onDay = (date: Date): boolean => {
    const inMonth = numbers(days, 1, 31).has(date.getUTCDate());
    const inWeek = numbers(weekdays, 0, 7).has(date.getUTCDay()) || numbers(weekdays, 0, 7).has(date.getUTCDay() || 7);
    return days !== '*' && weekdays !== '*' ? inMonth || inWeek : inMonth && inWeek;
  };
  const matches = (wall: number): boolean => {
    const date = new Date(wall);
    return (
      numbers(minutes, 0, 59).has(date.getUTCMinutes()) &&
      numbers(hours, 0, 23).has(date.getUTCHours()) &&
      numbers(months, 1, 12).has(date.getUTCMonth() + 1) &&
      onDay(date)
    );
  };
  // The clock is read from two days before, because a change can move a time by a whole day.
  const seen = readings(timezone, from.getTime() - 2 * DAY_MS, to.getTime());
  const instants = numbers(hours, 0, 23).size === 24 ? realTimes(seen, matches) : timesOfDay(seen, matches);
  return [...new Set(instants)]
    .filter((instant) => instant >= from.getTime() && instant < to.getTime())
    .sort((a, b) => a - b)
    .map((instant) => new Date(instant));
}

interface Reading {
  instant: number;
  /** What the clock shows, as if it were UTC. */
  wall: number;
}

const realTimes = (seen: readonly Reading[], matches: (wall: number) => boolean): number[] =>
  seen.filter(({ wall }) => matches(wall)).map(({ instant }) => instant);

function timesOfDay(seen: readonly Reading[], matches: (wall: number) => boolean): number[] {
  const instants: number[] = [];
  const shown = new Set<number>();
  let last = seen[0];
  for (const reading of seen) {
    for (let skipped = (last?.wall ?? 0) + MINUTE_MS; skipped < reading.wall; skipped += MINUTE_MS)
      if (last && !shown.has(skipped) && matches(skipped)) instants.push(last.instant + (skipped - last.wall));
    if (!shown.has(reading.wall) && matches(reading.wall)) instants.push(reading.instant);
    shown.add(reading.wall);
    last = reading;
  }
  return instants;
}

function readings(zone: string, from: number, to: number): Reading[] {
  const numeric = 'numeric';
  const parts = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric } as const;
  const clock = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...parts });
  const all: Reading[] = [];
  for (let instant = from; instant < to; instant += MINUTE_MS) {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = (clock.format(instant).match(/\d+/g) ?? []).map(
      Number,
    );
    all.push({ instant, wall: Date.UTC(year, month - 1, day, hour, minute) });
  }
  return all;
}

const known = new Map<string, Set<number>>();

/** The numbers that a field means. */
function numbers(field: string, least: number, most: number): Set<number> {
  const key = `${field} ${least} ${most}`;
  const found = known.get(key) ?? new Set(field.split(',').flatMap((item) => numbersOf(item, least, most)));
  known.set(key, found);
  return found;
}

function numbersOf(item: string, least: number, most: number): number[] {
  const [range = '', step] = item.split('/');
  const [first = least, last = step ? most : first] = range === '*' ? [least, most] : range.split('-').map(Number);
  const count = Math.floor((last - first) / Number(step ?? 1)) + 1;
  return Array.from({ length: count }, (_, index) => first + index * Number(step ?? 1));
}
