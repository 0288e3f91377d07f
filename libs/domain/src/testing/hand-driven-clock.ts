import { Clock } from '../clock';

/** A clock that moves only when the test advances it. */
export class HandDrivenClock extends Clock {
  constructor(private time = new Date('2026-01-01T00:00:00.000Z')) {
    super();
  }

  override now(): Date {
    return this.time;
  }

  advance(ms: number): void {
    this.time = new Date(this.time.getTime() + ms);
  }
}
