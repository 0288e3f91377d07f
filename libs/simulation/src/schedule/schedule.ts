import { Random } from './random';
import { VirtualTime } from './virtual-time';

/** What makes a schedule depend only on its seed: its random numbers and its time. It also keeps the trace. */
export class Schedule {
  readonly random: Random;
  readonly time = new VirtualTime();
  readonly trace: string[] = [];

  constructor(
    readonly seed: number,
    private readonly isTraced: boolean,
  ) {
    this.random = new Random(seed);
  }

  /** Returns random numbers for one part alone, so that the rest of the schedule does not depend on that part. */
  randomOfItsOwn(salt = 0): Random {
    return new Random(~this.seed ^ salt);
  }

  note(what: () => string): void {
    if (this.isTraced) this.trace.push(`${(this.time.elapsed / 1_000).toFixed(3).padStart(10)} s  ${what()}`);
  }
}
