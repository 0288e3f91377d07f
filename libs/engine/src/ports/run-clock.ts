import { timeOfDay } from '@millrace/domain';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';

/** The time that the engine sees. Tests move it by hand. */
export abstract class RunClock {
  /** The milliseconds since an arbitrary moment. They never decrease. */
  abstract elapsedMs(): number;
  /** The time of day, for moments that another worker may have to read from the records. */
  abstract now(): Date;
  /** Resolves after `ms`, and rejects when the signal is aborted. */
  abstract sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Resolves in the next turn of the event loop, so that other work on this thread runs first. */
  abstract yield(): Promise<void>;
}

export class SystemRunClock extends RunClock {
  elapsedMs(): number {
    return performance.now();
  }

  now(): Date {
    return new Date(timeOfDay.nowMs());
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    await wait(ms, undefined, { signal });
  }

  async yield(): Promise<void> {
    await nextTurn();
  }
}
