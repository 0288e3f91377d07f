import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';

/** Time as the engine sees it; tests move it by hand. */
export abstract class RunClock {
  /** Milliseconds from an arbitrary start; never goes back. */
  abstract elapsedMs(): number;
  /** The time of day, for what another worker has to know after us. */
  abstract now(): Date;
  /** Rejects when the signal is aborted. */
  abstract sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Lets everything else that is ready on this thread go first. */
  abstract yield(): Promise<void>;
}

export class SystemRunClock extends RunClock {
  elapsedMs(): number {
    return performance.now();
  }

  now(): Date {
    return new Date();
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    await wait(ms, undefined, { signal });
  }

  async yield(): Promise<void> {
    await nextTurn();
  }
}
