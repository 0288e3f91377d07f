import { createHash } from 'node:crypto';
import type { Schedule } from '../trigger-plan';
import { nextInstant } from './schedule-instants';

// Which instant of a schedule fires now, and when the next one does.
//
// F1. An instant fires once, at its instant or up to `jitterSeconds` later. The delay of an instant is always the same
//     for a flow, and shorter than the time to the next instant, so that the starts are in the order of the instants.
// F2. When several instants have passed, only the last of them fires. A flow that was not looked after for a long time
//     thus starts one run.

/** An instant of a flow's schedule, and when its run starts. */
export interface ScheduledStart {
  instant: Date;
  startsAt: Date;
}

/** The first start after a moment. Null when the schedule never fires again. Throws for an unknown zone. */
export function nextStart(schedule: Schedule, flowId: string, after: Date): ScheduledStart | null {
  const instant = nextInstant(schedule, after);
  return instant && startOf(schedule, flowId, instant);
}

/**
 * What fires of a schedule whose next instant was `first` and starts now or before, and the start after it. Throws for
 * an unknown zone.
 */
export function fire(
  schedule: Schedule,
  flowId: string,
  { first, now }: { first: Date; now: Date },
): { instant: Date; next: ScheduledStart | null } {
  const last = lastInstant(schedule, first, now);
  const hasStarted = startOf(schedule, flowId, last).startsAt <= now;
  const instant = hasStarted || last <= first ? last : lastInstant(schedule, first, before(last));
  return { instant, next: nextStart(schedule, flowId, instant) };
}

function startOf(schedule: Schedule, flowId: string, instant: Date): ScheduledStart {
  if (schedule.jitterSeconds === 0) return { instant, startsAt: instant };
  const following = nextInstant(schedule, instant);
  const untilNext = following ? following.getTime() - instant.getTime() : Infinity;
  const room = Math.min(schedule.jitterSeconds * 1_000, untilNext);
  return { instant, startsAt: new Date(instant.getTime() + Math.floor(fractionOf(flowId, instant) * room)) };
}

/** A number from 0 to 1, without 1, that differs between flows and instants and is always the same for both. */
function fractionOf(flowId: string, instant: Date): number {
  const hash = createHash('sha256').update(`${flowId} ${instant.toISOString()}`).digest();
  return hash.readUInt32BE() / 2 ** 32;
}

const before = (instant: Date): Date => new Date(instant.getTime() - 1);

/** The last instant from `first`, which is one, to `until`. The years between them cost no more than the minutes. */
function lastInstant(schedule: Schedule, first: Date, until: Date): Date {
  let last = first;
  // The first look is at `first` itself: most often no other instant has passed.
  let [low, middle, high] = [first.getTime(), first.getTime(), until.getTime()];
  while (low < high) {
    const next = nextInstant(schedule, new Date(middle));
    if (next === null || next > until) high = middle;
    else [last, low] = [next, next.getTime()];
    middle = Math.floor((low + high) / 2);
  }
  return last;
}
