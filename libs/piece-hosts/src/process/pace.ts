/**
 * What a host may make its worker do at once, and then in a millisecond, in values that the worker reads or writes. The
 * worker needs 0.1 to 0.2 µs for a value, so a host gets at most a tenth of its time. No message costs more than is
 * allowed at once.
 */
const MOST_WORK_AT_ONCE = 1_000_000;
const WORK_OF_MILLISECOND = 500;

/** Says when a host has to rest, because the worker has done much for it. */
export class Pace {
  private unpaid = 0;
  private paidAt: number;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.paidAt = this.now();
  }

  /** Notes work. There is much of it in a moment, so that it reads no clock. */
  spend(work: number): void {
    this.unpaid += work;
  }

  /** For how many milliseconds the host rests, which is 0 most of the time. */
  get restMs(): number {
    if (this.unpaid <= MOST_WORK_AT_ONCE) return 0;
    const now = this.now();
    this.unpaid = Math.max(0, this.unpaid - (now - this.paidAt) * WORK_OF_MILLISECOND);
    this.paidAt = now;
    return Math.max(0, (this.unpaid - MOST_WORK_AT_ONCE) / WORK_OF_MILLISECOND);
  }
}
