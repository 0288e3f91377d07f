import type { Random } from '../schedule/random';

/** The faults of a schedule, and how often each happens. All faults end at `endsAt`. */
export interface Faults {
  /** Virtual milliseconds. */
  endsAt: number;
  /** The longest time of a message in one direction, in virtual milliseconds. */
  latencyMs: number;
  /** Probabilities for each call: */
  slow: number;
  requestLost: number;
  answerLost: number;
  crash: number;
  sleep: number;
  /** Probabilities for each job that is enqueued, and for each notice: */
  jobLost: number;
  jobDelivedTwice: number;
  noticeLost: number;
  /** The probability for each second: */
  leaderChanges: number;
  crashesLeft: number;
  sleepsLeft: number;
  /** Moments at which the queue loses all its jobs. */
  queueEmptied: readonly number[];
  /** Moments at which a worker is told to stop. */
  plannedStops: readonly number[];
  cancels: readonly number[];
  /** Moments at which the leader is frozen. */
  leaderFreezes: readonly number[];
  /** Whether the clocks of workers are wrong. The schedule decides when it is absent. */
  clocksAreWrong?: boolean;
}

export const CALM: Faults = {
  endsAt: 0,
  latencyMs: 5,
  slow: 0,
  requestLost: 0,
  answerLost: 0,
  crash: 0,
  sleep: 0,
  jobLost: 0,
  jobDelivedTwice: 0,
  noticeLost: 0,
  leaderChanges: 0,
  crashesLeft: 0,
  sleepsLeft: 0,
  queueEmptied: [],
  plannedStops: [],
  cancels: [],
  leaderFreezes: [],
};

const CALM_SCHEDULES = 0.1;

export function drawFaults(random: Random): Faults {
  if (random.chance(CALM_SCHEDULES)) return CALM;
  const endsAt = random.between(5_000, 60_000);
  const often = (most: number): number => (random.chance(0.5) ? random.next() * most : 0);
  const moments = (most: number): number[] =>
    random.chance(0.3) ? Array.from({ length: random.between(1, most) }, () => random.between(1, endsAt)) : [];
  return {
    endsAt,
    latencyMs: random.pick([2, 10, 50, 400]),
    slow: often(0.05),
    requestLost: often(0.05),
    answerLost: often(0.05),
    crash: often(0.06),
    sleep: often(0.04),
    jobLost: often(0.5),
    jobDelivedTwice: often(0.5),
    noticeLost: often(1),
    leaderChanges: often(0.3),
    crashesLeft: random.between(1, 5),
    sleepsLeft: random.between(1, 3),
    queueEmptied: moments(2),
    plannedStops: moments(2),
    cancels: moments(2),
    leaderFreezes: moments(1),
  };
}
