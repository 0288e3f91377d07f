// Decides when a row that could be written at once waits for others, so that one statement writes them together.

/** The wait pays when it brings this many rows on average: a statement with its overhead costs as much as ten rows. */
const WORTH_A_WAIT_ROWS = 0.6;
/** A group of this size is written at once: a larger group makes each row hardly cheaper. */
const ENOUGH_ROWS = 8;
const WINDOW_MS = 200;
/** From this share of its time on, a process is what its rows wait for, and cheaper rows bring all of them on. */
const BUSY_SHARE = 0.7;

/** Returns how long a group of `rows` waits for more rows at the given arrival rate: either 0 or `longestMs`. */
export function batchingDelayMs(rowsPerSecond: number, rows: number, longestMs: number): number {
  if (rows >= ENOUGH_ROWS) return 0;
  return (rowsPerSecond * longestMs) / 1_000 < WORTH_A_WAIT_ROWS ? 0 : longestMs;
}

/** The arrival rate of rows, measured over the last complete window of 200 ms or more. */
export class ArrivalRate {
  private rate = 0;
  private count = 0;
  private since = 0;

  /** `now` is in milliseconds, from a clock that never goes back. */
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

/** Whether the event loop of this process had work for most of the last complete window of 200 ms or more. */
export class BusyLoop {
  private busy = false;
  private since = 0;
  private before = 0;

  /** `activeMs` returns for how long the loop has had work so far. */
  constructor(private readonly activeMs = (): number => performance.eventLoopUtilization().active) {}

  /** `now` is in milliseconds, from a clock that never goes back. */
  isBusy(now: number): boolean {
    const passed = now - this.since;
    if (passed < WINDOW_MS) return this.busy;
    const active = this.activeMs();
    this.busy = active - this.before >= passed * BUSY_SHARE;
    this.before = active;
    this.since = now;
    return this.busy;
  }
}
