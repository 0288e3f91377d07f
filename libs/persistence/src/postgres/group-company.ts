// When a row that could be written at once waits for others to travel with it.

/** What a wait must bring on average: each statement, and all that follows from it, costs about ten rows. */
const WORTH_A_WAIT_ROWS = 0.6;
/** A group of so many goes: more company makes a row little cheaper. */
const ENOUGH_ROWS = 8;
const WINDOW_MS = 200;

/** How long a group of so many rows may wait for company, when rows have been coming at this rate. */
export function waitForCompanyMs(rowsPerSecond: number, rows: number, longestMs: number): number {
  if (rows >= ENOUGH_ROWS) return 0;
  return (rowsPerSecond * longestMs) / 1_000 < WORTH_A_WAIT_ROWS ? 0 : longestMs;
}

/** How many came a second, in the window before this one. */
export class ArrivalRate {
  private rate = 0;
  private count = 0;
  private since = 0;

  /** `now` in milliseconds, of a clock that never goes back. */
  add(now: number): void {
    this.turnOver(now);
    this.count++;
  }

  perSecond(now: number): number {
    this.turnOver(now);
    return this.rate;
  }

  private turnOver(now: number): void {
    const passed = now - this.since;
    if (passed < WINDOW_MS) return;
    this.rate = (this.count * 1_000) / passed;
    this.count = 0;
    this.since = now;
  }
}
