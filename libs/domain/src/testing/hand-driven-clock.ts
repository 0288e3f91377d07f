import { Clock, type SharedClock } from '../clock';

/** A clock that moves only when the test advances it. */
export class HandDrivenClock extends Clock {
  private elapsed = 0;

  constructor(private time = new Date('2026-01-01T00:00:00.000Z')) {
    super();
  }

  override now(): Date {
    return this.time;
  }

  override elapsedMs(): number {
    return this.elapsed;
  }

  /** Lets time pass. */
  advance(ms: number): void {
    this.elapsed += ms;
    this.putForward(ms);
  }

  /** Puts the time of day forward, or back when `ms` is negative. No time passes. */
  putForward(ms: number): void {
    this.time = new Date(this.time.getTime() + ms);
  }
}

/** The clock of a database that shows the time of this clock. */
export const sharedBy = (clock: Clock): SharedClock => ({ now: () => Promise.resolve(clock.now()) });
