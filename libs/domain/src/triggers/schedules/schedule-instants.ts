import type { Schedule } from '../trigger-plan';
import { readCron, type CronFields } from './cron-fields';
import { isTimeZone, offsetAt } from './time-zone';
import { DAY_MS, HOUR_MS, MINUTE_MS, nextWallTime } from './wall-time';

// The instants at which a schedule fires: the moments at which the clocks of its time zone show a time that its cron
// expression matches. Where the clocks are changed:
//
// D1. A schedule of every hour counts real time. It also fires in the second pass of a repeated hour, and a skipped time
//     is no instant. Thus "every 15 minutes" is every 15 minutes.
// D2. Any other schedule names times of the day, and fires once for each. In a repeated hour that is the first pass. A
//     skipped time fires as long after the change as it would have come after it: 02:30 at 03:30.
// D3. Two times that meet in one instant are one instant.

/** Longer than the clocks were ever changed by. */
const LONGEST_CHANGE_MS = 25 * HOUR_MS;
/** Shorter than any time zone ever had between two changes. */
const STEP_MS = 7 * DAY_MS;
/** After so many years without a match there is none: the days of a month and of a week repeat earlier. */
const HORIZON_MS = 50 * 366 * DAY_MS;
const SECOND_MS = 1_000;

/** What the instants depend on. */
export type Timetable = Pick<Schedule, 'cron' | 'timezone'>;

/** One sentence for each reason why the schedule cannot fire. */
export function scheduleProblems({ cron, timezone }: Timetable): string[] {
  const read = readCron(cron);
  const ofZone = isTimeZone(timezone) ? [] : [unknownZone(timezone)];
  if ('problem' in read) return [read.problem, ...ofZone];
  const fires = nextWallTime(read.fields, 0, HORIZON_MS) !== null;
  return fires ? ofZone : ['The cron expression never fires: no month has such a day.', ...ofZone];
}

const unknownZone = (timezone: string): string =>
  `There is no time zone ${JSON.stringify(timezone.slice(0, 64))}: it must be an IANA name such as Europe/Berlin.`;

/** The first instant after a moment. Null when the schedule never fires. Throws for an unknown zone or expression. */
export function nextInstant(schedule: Timetable, after: Date): Date | null {
  for (const instant of instantsAfter(schedule, after)) return instant;
  return null;
}

/** The instants after a moment, as far as anybody asks for them. Throws for an unknown zone or expression. */
export function* instantsAfter({ cron, timezone }: Timetable, after: Date): Generator<Date> {
  const read = readCron(cron);
  if ('problem' in read) throw new Error(read.problem);
  const { fields } = read;
  // Clocks are changed at whole seconds, so that each instant is one.
  let from = (Math.floor(after.getTime() / SECOND_MS) + 1) * SECOND_MS;
  for (const horizon = from + HORIZON_MS; from < horizon;) {
    for (const instant of instantsOfStep(fields, timezone, from)) yield new Date(instant);
    // The calendar alone says where to look next: some time before that date begins in any zone.
    const wall = nextWallTime(fields, from + STEP_MS - LONGEST_CHANGE_MS, horizon);
    if (wall === null) return;
    from = Math.max(from + STEP_MS, wall - 2 * LONGEST_CHANGE_MS);
  }
}

/** The instants of one step from `from` on. */
function* instantsOfStep(fields: CronFields, zone: string, from: number): Generator<number> {
  let late: number[] = [];
  for (const span of spans(fields, zone, from)) {
    const all = merged(late, instantsOfSpan(fields, span, from));
    late = [];
    // A skipped time can come later than a time of the next span.
    for (const instant of all) {
      if (instant >= span.to) late.push(instant);
      else if (instant >= from + STEP_MS) return;
      else yield instant;
    }
  }
}

function* instantsOfSpan(fields: CronFields, { offset, firstWall, endWall }: Span, from: number): Generator<number> {
  let wall = nextWallTime(fields, Math.max(firstWall, from + offset), endWall);
  for (; wall !== null; wall = nextWallTime(fields, wall + MINUTE_MS, endWall)) yield wall - offset;
}

/** Two sorted sequences as one, without the numbers that both have. */
function* merged(some: readonly number[], others: Iterable<number>): Generator<number> {
  let place = 0;
  for (const other of others) {
    for (let one = some[place]; one !== undefined && one <= other; one = some[++place]) if (one < other) yield one;
    yield other;
  }
  yield* some.slice(place);
}

/** A time without a change of the clocks, and the wall times that its offset turns into instants. */
interface Span {
  to: number;
  offset: number;
  firstWall: number;
  /** The span has the wall times before this one. */
  endWall: number;
}

/** The spans of at least one step from `from` on, and of the time before it whose skipped times may come after it. */
function* spans(fields: CronFields, zone: string, from: number): Generator<Span> {
  const isByRealTime = fields.hours.length === 24;
  let start = from - LONGEST_CHANGE_MS;
  let offset = offsetAt(zone, start);
  let firstWall = start + offset;
  while (start < from + STEP_MS) {
    const to = endOfOffset(zone, start, offset);
    const next = offsetAt(zone, to);
    // The later of what the clocks show before and after: a skipped time counts by the offset before the change, and a
    // repeated time belongs to its first pass.
    const border = to + Math.max(offset, next);
    yield { to, offset, firstWall, endWall: isByRealTime ? to + offset : border };
    [start, offset, firstWall] = [to, next, isByRealTime ? to + next : border];
  }
}

/** When the clocks are changed after `start`, to the second, but at most one step later. */
function endOfOffset(zone: string, start: number, offset: number): number {
  let [same, other] = [start, start + STEP_MS];
  if (offsetAt(zone, other) === offset) return other;
  while (other - same > SECOND_MS) {
    const middle = same + Math.floor((other - same) / 2 / SECOND_MS) * SECOND_MS;
    if (offsetAt(zone, middle) === offset) same = middle;
    else other = middle;
  }
  return other;
}
