import type { CronFields } from './cron-fields';

// What the clocks on the wall show, without any time zone: a date and a time of day. As a number it is the instant at
// which a clock in UTC shows the same.

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The first wall time that the fields match from `from` on and before `before`. Null when there is none. */
export function nextWallTime(fields: CronFields, from: number, before: number): number | null {
  const start = Math.ceil(from / MINUTE_MS) * MINUTE_MS;
  let day = Math.floor(start / DAY_MS) * DAY_MS;
  while (day < before) {
    const date = new Date(day);
    if (!fields.months.has(date.getUTCMonth() + 1)) {
      day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
      continue;
    }
    const time = matchesDay(fields, date) ? firstTimeOfDay(fields, Math.max(0, start - day)) : null;
    if (time !== null) return day + time < before ? day + time : null;
    day += DAY_MS;
  }
  return null;
}

function firstTimeOfDay({ hours, minutes }: CronFields, from: number): number | null {
  for (const hour of hours) {
    if ((hour + 1) * HOUR_MS <= from) continue;
    const minute = minutes.find((minute) => hour * HOUR_MS + minute * MINUTE_MS >= from);
    if (minute !== undefined) return hour * HOUR_MS + minute * MINUTE_MS;
  }
  return null;
}

function matchesDay({ daysOfMonth, daysOfWeek }: CronFields, date: Date): boolean {
  if (daysOfMonth === null && daysOfWeek === null) return true;
  return (
    (daysOfMonth !== null && matchesDayOfMonth(daysOfMonth, date)) ||
    (daysOfWeek !== null && matchesDayOfWeek(daysOfWeek, date))
  );
}

const matchesDayOfMonth = (days: NonNullable<CronFields['daysOfMonth']>, date: Date): boolean =>
  days.has(date.getUTCDate()) || (days.has('L') && isInLastDays(date, 1));

function matchesDayOfWeek(days: NonNullable<CronFields['daysOfWeek']>, date: Date): boolean {
  const weekday = date.getUTCDay();
  const nth = Math.ceil(date.getUTCDate() / 7);
  return (
    days.has(String(weekday)) || days.has(`${weekday}#${nth}`) || (days.has(`${weekday}L`) && isInLastDays(date, 7))
  );
}

/** Whether the date is one of the last days of its month. */
const isInLastDays = (date: Date, days: number): boolean =>
  new Date(date.getTime() + days * DAY_MS).getUTCMonth() !== date.getUTCMonth();
