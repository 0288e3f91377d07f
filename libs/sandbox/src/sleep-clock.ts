/**
 * The sleeps of one step, and time as the step sees it.
 *
 * A step that is begun again does not sleep twice. The sleeps that were over in its earlier tries are over at once, and
 * the step's own time jumps ahead as if it had slept.
 */

/** Each sleep counts at least this long, so that a step cannot sleep without end. */
const SHORTEST_MS = 1;

export interface Sleep {
  /** How many ms are left until the first of the step's sleeps is over. */
  forMs: number;
  /** How many of the step's sleeps will be over then. */
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

  /** How many ms the step has slept, in this try and in earlier ones. */
  get sleptMs(): number {
    return this.slept;
  }

  /** Begins a try of the step. Its first `sleepsOver` sleeps are over at once. */
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

  /** Removes a sleep that is over and returns its id. Undefined when none is over. */
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

  /** Begins a real sleep of the step. It is called when none of its sleeps is over. */
  fallAsleep(): Sleep {
    this.sleepingForMs = this.first()?.inMs ?? 0;
    return { forMs: this.sleepingForMs, sleepsOver: this.over + 1 };
  }

  /** Ends the real sleep. A timer may fire a little early, so the step's own time is moved to the end of the sleep. */
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
