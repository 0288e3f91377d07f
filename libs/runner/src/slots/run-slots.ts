import { FairSlots, type RunRoom } from '@millrace/domain';
import { RunSlot, WaitingRuns, type WaitingBounds } from './run-slot';

const WAITING_BOUNDS: WaitingBounds = { runs: 1_000, bytes: 256 * 1024 * 1024 };

// The slots in which runs execute in this worker.
//
// S1. Slots count the runs that execute. A run that waits in memory gives up its slot, within bounds; beyond the bounds
//     it keeps its slot.
// S2. Projects share the slots as FairSlots defines it. A project without a slot gets one at once, up to twice the
//     number of slots in total.
export class RunSlots implements RunRoom {
  private readonly slots: FairSlots;
  private readonly waiting: WaitingRuns;

  constructor(concurrency: number, bounds: WaitingBounds = WAITING_BOUNDS) {
    this.slots = new FairSlots(concurrency, concurrency);
    this.waiting = new WaitingRuns(bounds);
  }

  /** How many more runs of any project could begin at once, after the runs that are here already. */
  get freeSlots(): number {
    return this.slots.free;
  }

  /** The number of runs that hold a slot. */
  get executing(): number {
    return this.slots.inUse;
  }

  /** The number of runs that are here and have not begun. */
  get notBegun(): number {
    return this.slots.waiting;
  }

  /** The number of runs that have begun and wait without a slot. */
  get withoutSlot(): number {
    return this.waiting.count;
  }

  /** Says whether a run of this project would begin before other runs that wait here. */
  hasTurnFor(projectId: string): boolean {
    return this.slots.hasTurnFor(projectId);
  }

  /** Calls the listener whenever `freeSlots` has grown, or `notBegun` has fallen. */
  onMoreRoom(listener: () => void): void {
    this.slots.onMoreRoom(listener);
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
