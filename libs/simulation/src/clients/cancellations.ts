import type { StoreModel } from '../model/store-model';
import type { Schedule } from '../schedule/schedule';

/** Simulates the people who cancel runs. */
export class Cancellations {
  /** The runs that these cancellations stopped: the cancelled runs and all below them. */
  readonly stopped = new Set<string>();

  constructor(
    private readonly schedule: Schedule,
    private readonly store: StoreModel,
  ) {}

  plan(moments: readonly number[]): void {
    for (const at of moments) this.schedule.time.after(at, null, () => this.cancelOne());
  }

  private cancelOne(): void {
    const { schedule, store } = this;
    const [first, ...others] = store.runs;
    if (!first) return;
    const { id } = schedule.random.pick([first, ...others]);
    const stopped = store.cancel(id);
    schedule.note(() => `somebody cancels ${id}: ${stopped.join(', ') || 'nothing'}`);
    for (const runId of stopped) this.stopped.add(runId);
  }
}
