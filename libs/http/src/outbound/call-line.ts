import { FairSlots, OutboundFailure, type SlotTicket } from '@millrace/domain';

/** How many calls are under way at once, and how many beyond them for projects that have none. */
export interface CallBounds {
  readonly calls: number;
  readonly extra: number;
}

// Where calls wait until they may go out.
//
// L1. What is under way is bounded, in connections and in answers that are read: whatever is asked for beyond it waits.
// L2. Projects share the places as FairSlots says: the slow calls of one keep no other's waiting.
export class CallLine {
  private readonly places: FairSlots;
  /** Each stops a call that waits. */
  private readonly waiting = new Set<() => void>();
  private isClosed = false;

  constructor({ calls, extra }: CallBounds) {
    this.places = new FairSlots(calls, extra);
  }

  /** Makes the call in its turn. Throws OutboundFailure `aborted` when it was stopped before. */
  async send<Answer>(projectId: string, signal: AbortSignal | undefined, call: () => Promise<Answer>): Promise<Answer> {
    const place = this.places.take(projectId);
    try {
      if (!place.isGranted) await this.turnOf(place, signal);
      return await call();
    } finally {
      place.end();
    }
  }

  /** Stops the calls that wait, and those that would have to. */
  close(): void {
    this.isClosed = true;
    for (const stop of this.waiting) stop();
  }

  private turnOf(place: SlotTicket, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.waiting.delete(stop);
        signal?.removeEventListener('abort', stop);
      };
      const stop = (): void => {
        leave();
        reject(new OutboundFailure('aborted', 'The call was stopped.'));
      };
      if (this.isClosed || signal?.aborted) return stop();
      this.waiting.add(stop);
      signal?.addEventListener('abort', stop, { once: true });
      void place.granted.then(() => {
        leave();
        resolve();
      });
    });
  }
}
