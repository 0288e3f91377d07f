// Reads a cron expression of five fields: minute, hour, day of the month, month, day of the week.
//
// R1. A field is a list of `*`, `5`, `1-5`, `*/15`, `1-31/2` and `0/5` (from 0 in steps of 5). Months and days of the
//     week have English names too, and 7 is Sunday. `?` is `*`.
// R2. `L` is the last day of the month. `1#2` is the second Monday of the month, and `5L` its last Friday.
// R3. When both days are restricted, a date must match one of them. A day is unrestricted only when its field is `*` or
//     `?`.

interface CronDays {
  /** The days of the month; `L` stands for the last one. */
  ofMonth: ReadonlySet<number | 'L'>;
  /** The days of the week as text: `1`, `1#2`, `1L`. */
  ofWeek: ReadonlySet<string>;
}

export interface CronFields {
  /** Sorted, as `hours`. */
  minutes: readonly number[];
  hours: readonly number[];
  /** 1 to 12. */
  months: ReadonlySet<number>;
  /** Null for a day that is unrestricted. */
  daysOfMonth: CronDays['ofMonth'] | null;
  daysOfWeek: CronDays['ofWeek'] | null;
}

/** The fields, or one sentence that says what is wrong with them. */
export type ReadCron = { fields: CronFields } | { problem: string };

interface FieldRange {
  name: string;
  least: number;
  most: number;
  names?: readonly string[];
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEK = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

const MINUTE: FieldRange = { name: 'minute', least: 0, most: 59 };
const HOUR: FieldRange = { name: 'hour', least: 0, most: 23 };
const DAY_OF_MONTH: FieldRange = { name: 'day of the month', least: 1, most: 31 };
const MONTH: FieldRange = { name: 'month', least: 1, most: 12, names: ['', ...MONTHS] };
const DAY_OF_WEEK: FieldRange = { name: 'day of the week', least: 0, most: 7, names: WEEK };

const SHORT_FORMS: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
]);

/** A longer text is no cron expression. */
const MAX_LENGTH = 500;

class CronProblem extends Error {}

/** Reads a cron expression. It does not tell whether there is a date that matches. */
export function readCron(expression: string): ReadCron {
  const text = SHORT_FORMS.get(expression.trim().toLowerCase()) ?? expression.trim();
  const parts = text.length > MAX_LENGTH ? [] : text.toUpperCase().split(/\s+/);
  if (parts.length === 6) return { problem: 'A cron expression has five fields; a field of seconds is not supported.' };
  if (parts.length !== 5) return { problem: 'A cron expression has five fields: minute, hour, day, month, weekday.' };
  try {
    return { fields: readFields(parts as [string, string, string, string, string]) };
  } catch (error) {
    if (error instanceof CronProblem) return { problem: error.message };
    throw error;
  }
}

function readFields([minute, hour, day, month, weekday]: [string, string, string, string, string]): CronFields {
  return {
    minutes: sorted(numbersOf(minute, MINUTE)),
    hours: sorted(numbersOf(hour, HOUR)),
    months: numbersOf(month, MONTH),
    daysOfMonth: isUnrestricted(day) ? null : daysOfMonth(day),
    daysOfWeek: isUnrestricted(weekday) ? null : daysOfWeek(weekday),
  };
}

const isUnrestricted = (field: string): boolean => field === '*' || field === '?';

const sorted = (numbers: ReadonlySet<number>): number[] => [...numbers].sort((a, b) => a - b);

const numbersOf = (field: string, range: FieldRange): Set<number> =>
  new Set(field.split(',').flatMap((item) => [...numbersIn(item, range)]));

function daysOfMonth(field: string): Set<number | 'L'> {
  const items = field.split(',');
  return new Set(
    items.flatMap((item): (number | 'L')[] => {
      if (item === 'L') return ['L'];
      if (/[LW#]/.test(item)) throw problem(DAY_OF_MONTH, `"${item}" is not known: L alone is the last day`);
      return [...numbersIn(item, DAY_OF_MONTH)];
    }),
  );
}

const NTH_WEEKDAY = /^(\w+)#([1-5])$/;
const LAST_WEEKDAY = /^(\w+)L$/;

function daysOfWeek(field: string): Set<string> {
  return new Set(
    field.split(',').flatMap((item) => {
      const nth = NTH_WEEKDAY.exec(item);
      if (nth) return [`${weekday(nth[1] ?? '')}#${nth[2]}`];
      const last = LAST_WEEKDAY.exec(item);
      if (last) return [`${weekday(last[1] ?? '')}L`];
      if (item === 'L') throw problem(DAY_OF_WEEK, 'L needs a weekday before it: 5L is the last Friday');
      return [...numbersIn(item, DAY_OF_WEEK)].map((day) => String(day % 7));
    }),
  );
}

const weekday = (written: string): number => numberOf(written, DAY_OF_WEEK) % 7;

const ITEM = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/;

/** The numbers of one item of a list. Throws CronProblem. */
function* numbersIn(item: string, range: FieldRange): Generator<number> {
  const [, from = '', to, step] = ITEM.exec(item) ?? [];
  if (from === '' || (from === '*' && to !== undefined)) throw problem(range, `"${item}" is not understood`);
  const first = from === '*' ? range.least : numberOf(from, range);
  // Sunday is 0 and 7, and `*` is each day once.
  const most = range === DAY_OF_WEEK && from === '*' ? 6 : range.most;
  const last = to === undefined ? (step === undefined && from !== '*' ? first : most) : numberOf(to, range);
  const by = step === undefined ? 1 : Number(step);
  if (first > last) throw problem(range, `the range ${item} ends before it begins`);
  if (by < 1 || by > range.most + 1) throw problem(range, `the step of ${item} must be from 1 to ${range.most + 1}`);
  for (let number = first; number <= last; number += by) yield number;
}

function numberOf(written: string, range: FieldRange): number {
  const { least, most, names } = range;
  const named = written === '' ? -1 : (names?.indexOf(written) ?? -1);
  const number = named >= 0 ? named : /^\d{1,4}$/.test(written) ? Number(written) : NaN;
  if (!(number >= least && number <= most)) throw problem(range, `${written} is not from ${least} to ${most}`);
  return number;
}

const problem = ({ name }: FieldRange, what: string): CronProblem => new CronProblem(`In the ${name}, ${what}.`);
