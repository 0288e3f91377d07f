/**
 * How many things took how long. The part that does the work adds to plain numbers, which costs some nanoseconds;
 * nothing is computed until somebody reads them.
 */
export class Durations {
  /** The sum of all durations, in seconds. */
  sum = 0;
  private readonly counts: number[];

  /** The bounds are seconds, in ascending order. Each counts what took at most so long and more than the bound before. */
  constructor(readonly bounds: readonly number[]) {
    this.counts = [...bounds, Infinity].map(() => 0);
  }

  get count(): number {
    return this.counts.reduce((total, each) => total + each, 0);
  }

  /** Counts one duration. A negative one, which two clocks can lead to, counts as none. */
  add(seconds: number): void {
    const taken = seconds > 0 ? seconds : 0;
    let at = 0;
    while (at < this.bounds.length && taken > (this.bounds[at] as number)) at++;
    this.counts[at] = (this.counts[at] as number) + 1;
    this.sum += taken;
  }

  /** How many took at most so long, by bound; the last bound is Infinity. */
  atMost(): { bound: number; count: number }[] {
    let count = 0;
    return [...this.bounds, Infinity].map((bound, at) => ({ bound, count: (count += this.counts[at] as number) }));
  }
}
