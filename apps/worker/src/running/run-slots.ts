import pLimit, { type LimitFunction } from 'p-limit';

/** Where a run goes on that has lost workers and may be why: with few others like it, or with none. */
export type SuspectLane = 'sharedLane' | 'singleLane';

const AT_ONCE: Readonly<Record<SuspectLane, number>> = { sharedLane: 4, singleLane: 1 };

export const isLane = (place: string): place is SuspectLane => Object.hasOwn(AT_ONCE, place);

// The runs that execute at once in this worker.
//
// S1. There are never more of them than slots, however many jobs brought them; those in a lane come on top.
// S2. Who is in a lane, or waits for it, takes no slot: nothing holds the other runs back.
export class RunSlots {
  private readonly slots: LimitFunction;
  private readonly lanes: Readonly<Record<SuspectLane, LimitFunction>>;

  constructor(concurrency: number) {
    this.slots = pLimit(concurrency);
    this.lanes = { sharedLane: pLimit(AT_ONCE.sharedLane), singleLane: pLimit(AT_ONCE.singleLane) };
  }

  take<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.slots(work);
  }

  takeLane<Result>(lane: SuspectLane, work: () => Promise<Result>): Promise<Result> {
    return this.lanes[lane](work);
  }
}
