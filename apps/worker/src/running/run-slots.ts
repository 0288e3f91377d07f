import pLimit, { type LimitFunction } from 'p-limit';

/** Longest that who wants to be alone waits for the runs in flight; new ones are held back for as long. */
const WAIT_FOR_OTHERS_MS = 20_000;

// The runs that execute at once in this worker.
//
// S1. There are never more of them than slots, however many jobs brought them.
// S2. While one is alone, or waits to be, no other begins.
// S3. Of several that want to be alone one is, after the other.
export class RunSlots {
  private readonly limit: LimitFunction;
  /** Without those that are alone, or wait to be. */
  private underWay = 0;
  /** Ends with the last of those that want to be alone; null when there is none. */
  private heldBack: Promise<void> | null = null;
  private onLeft: () => void = () => undefined;

  constructor(concurrency: number) {
    this.limit = pLimit(concurrency);
  }

  take<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.limit(async () => {
      while (this.heldBack) await this.heldBack;
      this.underWay++;
      try {
        return await work();
      } finally {
        this.leave();
      }
    });
  }

  /** For work that has a slot: begins it when the others have ended, or have had their time. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.heldBack;
    let letOthersIn = (): void => undefined;
    const untilDone = new Promise<void>((resolve) => (letOthersIn = resolve));
    this.heldBack = untilDone;
    this.leave();
    try {
      await before;
      await this.othersLeft();
      return await work();
    } finally {
      this.underWay++;
      if (this.heldBack === untilDone) this.heldBack = null;
      letOthersIn();
    }
  }

  private leave(): void {
    this.underWay--;
    if (this.underWay === 0) this.onLeft();
  }

  private othersLeft(): Promise<void> {
    if (this.underWay === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const waited = setTimeout(resolve, WAIT_FOR_OTHERS_MS);
      this.onLeft = () => {
        clearTimeout(waited);
        resolve();
      };
    });
  }
}
