import { abortAfter, type AbortAfter } from '../../abort-after';
import type { Elsewhere } from '../../runs/execution-slot';

/** A poll that waits longer for its turn in another process comes later. */
export const POLL_WAIT_SECONDS = 60;
/** A source that takes longer has failed. */
export const POLL_SECONDS = 60;

/** The time of one poll. While the poll waits for its turn in another process, its time does not pass. */
export class PollTime {
  private readonly wait: AbortAfter;
  private readonly work: AbortAfter;

  constructor(stop: AbortSignal) {
    this.wait = abortAfter(POLL_WAIT_SECONDS * 1_000, stop);
    this.wait.pause();
    this.work = abortAfter(POLL_SECONDS * 1_000, this.wait.signal);
  }

  /** Aborts when one of the times is over, or when the worker stops. */
  get signal(): AbortSignal {
    return this.work.signal;
  }

  get hasWaitedTooLong(): boolean {
    return this.wait.isOutOfTime;
  }

  get hasTakenTooLong(): boolean {
    return this.work.isOutOfTime;
  }

  readonly elsewhere: Elsewhere = async (work) => {
    let hasBegun = false;
    const begun = (): void => {
      if (hasBegun) return;
      hasBegun = true;
      this.wait.pause();
      this.work.restart();
    };
    this.work.pause();
    this.wait.restart();
    return work(begun).finally(begun);
  };

  end(): void {
    this.wait.end();
    this.work.end();
  }
}
