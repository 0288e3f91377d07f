/** Draws pseudo-random numbers that are the same for the same seed. */
export class SeededRandom {
  constructor(private state: number) {}

  /** Draws a number of at least 0 and under 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<Choice>(choices: readonly Choice[]): Choice | undefined {
    return choices[this.between(0, choices.length - 1)];
  }
}
