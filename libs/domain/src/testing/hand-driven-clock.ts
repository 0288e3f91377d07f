import { Clock } from '../clock';

/** Time that moves only when the test says so. */
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
