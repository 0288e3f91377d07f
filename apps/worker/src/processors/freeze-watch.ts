const BEAT_MS = 500;
/** Longer than anything of ours holds up the event loop, and shorter than a lease. */
const FROZEN_MS = 5_000;

/**
 * Knows when this process stood still: it was stopped, or its machine was. All time-outs that ran meanwhile end at once
 * when it goes on, so that what fails then says nothing about the runs in hand.
 */
export class FreezeWatch {
  private lastBeat = performance.now();
  private thawedAt = -Infinity;

  constructor() {
    setInterval(() => this.beat(), BEAT_MS).unref();
  }

  /** `moment` as performance.now() gives it. */
  wasFrozenSince(moment: number): boolean {
    // The time-out that asks may come before the beat that is overdue.
    this.beat();
    return this.thawedAt >= moment;
  }

  private beat(): void {
    const now = performance.now();
    if (now - this.lastBeat > FROZEN_MS) this.thawedAt = now;
    this.lastBeat = now;
  }
}
