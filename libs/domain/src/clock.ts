/** The only source of the time, so that tests can move the time. */
export abstract class Clock {
  abstract now(): Date;
}

/**
 * Whether an interval of `ms` milliseconds is over that began at `since`. A clock that was put back is before the
 * beginning; the interval is over then, too, so that nothing waits until the clock is there again.
 */
export const isOver = (since: number, ms: number, now: number): boolean => now < since || now - since >= ms;

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}
