import { FairSlots, type RunRoom } from '@millrace/domain';
import pLimit, { type LimitFunction } from 'p-limit';
import { RunSlot, WaitingRuns, type WaitingBounds } from './run-slot';

/** Where a run goes on that has lost workers and may be why: with few others like it, or with none. */
export type SuspectLane = 'sharedLane' | 'singleLane';

const AT_ONCE: Readonly<Record<SuspectLane, number>> = { sharedLane: 4, singleLane: 1 };

export const isLane = (place: string): place is SuspectLane => Object.hasOwn(AT_ONCE, place);

const WAITING_BOUNDS: WaitingBounds = { runs: 1_000, bytes: 256 * 1024 * 1024 };

// The runs that execute at once in this worker.
//
// S1. Slots count runs that execute: one that waits in memory has none, within bounds. Over these it keeps its own.
// S2. Projects share them as FairSlots says: a project without one gets one at once, up to as many again as there are.
// S3. Who is in a lane, or waits for it, takes no slot: nothing holds the other runs back.
export class RunSlots implements RunRoom {
  private readonly slots: FairSlots;
  private readonly waiting: WaitingRuns;
  private readonly lanes: Readonly<Record<SuspectLane, LimitFunction>>;

  constructor(concurrency: number, bounds: WaitingBounds = WAITING_BOUNDS) {
    this.slots = new FairSlots(concurrency, concurrency);
    this.waiting = new WaitingRuns(bounds);
    this.lanes = { sharedLane: pLimit(AT_ONCE.sharedLane), singleLane: pLimit(AT_ONCE.singleLane) };
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

  takeLane<Result>(lane: SuspectLane, work: () => Promise<Result>): Promise<Result> {
    return this.lanes[lane](work);
  }
}
