import { FairSlots, type RunRoom } from '@millrace/domain';
import { RunSlot, WaitingRuns, type WaitingBounds } from './run-slot';

const WAITING_BOUNDS: WaitingBounds = { runs: 1_000, bytes: 256 * 1024 * 1024 };

// The runs that execute at once in this worker.
//
// S1. Slots count the runs that execute. A run that waits in memory has none, within bounds; beyond these it keeps its slot.
// S2. Projects share them as FairSlots says: a project without one gets one at once, up to as many again as there are.
export class RunSlots implements RunRoom {
  private readonly slots: FairSlots;
  private readonly waiting: WaitingRuns;

  constructor(concurrency: number, bounds: WaitingBounds = WAITING_BOUNDS) {
    this.slots = new FairSlots(concurrency, concurrency);
    this.waiting = new WaitingRuns(bounds);
  }

  /** How many more runs could begin at once, whosever they are, after those that are here already. */
  get freeSlots(): number {
    return this.slots.free;
  }

  /** Runs that are here and have not begun. */
  get notBegun(): number {
    return this.slots.waiting;
  }

  /** Runs that have begun and wait without a slot. */
  get withoutSlot(): number {
    return this.waiting.count;
  }

  /** Whether a run of this project would go before others that wait here. */
  hasTurnFor(projectId: string): boolean {
    return this.slots.hasTurnFor(projectId);
  }

  /** The listener is called whenever `freeSlots` has grown. */
  onFree(listener: () => void): void {
    this.slots.onFree(listener);
  }

  async take<Result>(projectId: string, work: (slot: RunSlot) => Promise<Result>): Promise<Result> {
    const slot = new RunSlot(this.slots, this.waiting, projectId);
    if (!slot.isHeld) await slot.granted;
    try {
      return await work(slot);
    } finally {
      slot.end();
    }
  }
}
