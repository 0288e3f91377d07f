const BEAT_MS = 500;
/** Nothing in this process holds up the event loop for that long. The limit is shorter than a lease. */
const FROZEN_MS = 5_000;

/**
 * Notices that this process was frozen: it was stopped, or its machine was. When the process continues, all time-outs
 * that ran out meanwhile fire at once; a failure at that moment says nothing about the runs in hand.
 */
export class FreezeWatch {
  private lastBeat = performance.now();
  private thawedAt = -Infinity;

  constructor() {
    setInterval(() => this.beat(), BEAT_MS).unref();
  }

  /** Says whether the process was frozen after `moment`, a value of performance.now() in milliseconds. */
  wasFrozenSince(moment: number): boolean {
    // The caller's time-out may fire before the overdue beat.
    this.beat();
    return this.thawedAt >= moment;
  }

  private beat(): void {
    const now = performance.now();
    if (now - this.lastBeat > FROZEN_MS) this.thawedAt = now;
    this.lastBeat = now;
  }
}
