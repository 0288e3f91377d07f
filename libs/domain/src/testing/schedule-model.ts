import type { Timetable } from '../triggers/schedules/schedule-instants';

// The instants of a schedule, found by looking at the clock every minute. It is slow, and shares nothing with the rule.
// It knows numbers, lists, ranges and steps.

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** All instants from `from` on and before `to`. */
export function modelledInstants({ cron, timezone }: Timetable, from: Date, to: Date): Date[] {
  const [minuteField = '', hourField = '', dayField = '', monthField = '', weekdayField = ''] = cron.split(' ');
  const minutes = numbers(minuteField, 0, 59);
  const hours = numbers(hourField, 0, 23);
  const days = numbers(dayField, 1, 31);
  const months = numbers(monthField, 1, 12);
  const weekdays = numbers(weekdayField, 0, 7);
  const onDay = (date: Date): boolean => {
    const inMonth = days.has(date.getUTCDate());
    const inWeek = weekdays.has(date.getUTCDay()) || weekdays.has(date.getUTCDay() || 7);
    return dayField !== '*' && weekdayField !== '*' ? inMonth || inWeek : inMonth && inWeek;
  };
  const matches = (wall: number): boolean => {
    const date = new Date(wall);
    const atTime = minutes.has(date.getUTCMinutes()) && hours.has(date.getUTCHours());
    return atTime && months.has(date.getUTCMonth() + 1) && onDay(date);
  };
  // The clock is read from two days before, because a change can move a time by a whole day.
  const seen = readings(timezone, from.getTime() - 2 * DAY_MS, to.getTime());
  const instants = hours.size === 24 ? realTimes(seen, matches) : timesOfDay(seen, matches);
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

let lastRead: { question: string; answer: Reading[] } | undefined;

/** Reads the clock every minute. The last readings are kept for another schedule of the same time. */
function readings(zone: string, from: number, to: number): Reading[] {
  const question = `${zone} ${from} ${to}`;
  if (lastRead?.question !== question) lastRead = { question, answer: readClock(zone, from, to) };
  return lastRead.answer;
}

function readClock(zone: string, from: number, to: number): Reading[] {
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

/** The numbers that a field means. */
const numbers = (field: string, least: number, most: number): Set<number> =>
  new Set(field.split(',').flatMap((item) => numbersOf(item, least, most)));

function numbersOf(item: string, least: number, most: number): number[] {
  const [range = '', step] = item.split('/');
  const [first = least, last = step ? most : first] = range === '*' ? [least, most] : range.split('-').map(Number);
  const count = Math.floor((last - first) / Number(step ?? 1)) + 1;
  return Array.from({ length: count }, (_, index) => first + index * Number(step ?? 1));
}
