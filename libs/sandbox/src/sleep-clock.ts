/**
 * The sleeps of one step, and time as the step sees it.
 *
 * A step that is begun again does not sleep twice: as many sleeps as were over in its earlier tries are over at once,
 * and its own time jumps ahead as if it had slept.
 */

/** Each sleep counts at least this long, so that a step cannot sleep without end. */
const SHORTEST_MS = 1;

export interface Sleep {
  /** Until the first of the step's sleeps is over. */
  forMs: number;
  /** How many of its sleeps will be over then. */
  sleepsOver: number;
}

export class SleepClock {
  private readonly due = new Map<number, number>();
  private over = 0;
  private overBefore = 0;
  private skippedMs = 0;
  private startedAt = 0;
  private slept = 0;
  private sleepingForMs = 0;

  constructor(private readonly wallMs: () => number) {}

  get pending(): number {
    return this.due.size;
  }

  /** What the step has slept, in this try or an earlier one. */
  get sleptMs(): number {
    return this.slept;
  }

  /** `sleepsOver` are over at once. */
  start(sleepsOver: number): void {
    this.due.clear();
    this.overBefore = sleepsOver;
    this.over = this.skippedMs = this.slept = 0;
    this.startedAt = this.wallMs();
  }

  elapsedMs(): number {
    return this.now() - this.startedAt;
  }

  add(sleep: number, ms: number): void {
    this.due.set(sleep, this.now() + Math.max(ms, SHORTEST_MS));
  }

  /** A sleep that is over. It is forgotten. */
  takeOver(): number | undefined {
    const first = this.first();
    if (!first || (first.inMs > 0 && this.over >= this.overBefore)) return undefined;
    const skippedMs = Math.max(first.inMs, 0);
    this.skippedMs += skippedMs;
    this.slept += skippedMs;
    this.over++;
    this.due.delete(first.sleep);
    return first.sleep;
  }

  /** No sleep is over: the step sleeps in truth. */
  fallAsleep(): Sleep {
    this.sleepingForMs = this.first()?.inMs ?? 0;
    return { forMs: this.sleepingForMs, sleepsOver: this.over + 1 };
  }

  /** What it slept for is over. A timer may be a little early, so its own time is made to say so. */
  wake(): void {
    this.slept += this.sleepingForMs;
    this.skippedMs += Math.max(this.first()?.inMs ?? 0, 0);
  }

  private first(): { sleep: number; inMs: number } | undefined {
    let first: { sleep: number; at: number } | undefined;
    for (const [sleep, at] of this.due) if (!first || at < first.at) first = { sleep, at };
    return first && { sleep: first.sleep, inMs: first.at - this.now() };
  }

  private now(): number {
    return this.wallMs() + this.skippedMs;
  }
}
