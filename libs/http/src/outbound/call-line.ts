import { FairSlots, OutboundFailure, type SlotTicket } from '@millrace/domain';

/** How many calls are under way at once, and how many more for projects that have no call under way. */
export interface CallBounds {
  readonly calls: number;
  readonly extra: number;
}

// The queue in which calls wait for their turn.
//
// L1. The calls under way are bounded, and with them the connections and the answers that are read. Further calls wait.
// L2. Projects share the slots fairly (FairSlots), so that the slow calls of one project do not hold up other projects.
export class CallLine {
  private readonly places: FairSlots;
  /** The functions that stop the waiting calls. */
  private readonly waiting = new Set<() => void>();
  private isClosed = false;

  constructor({ calls, extra }: CallBounds) {
    this.places = new FairSlots(calls, extra);
  }

  /**
   * Makes the call when it is its turn. Throws OutboundFailure `aborted` when the signal or `close` stops it before.
   */
  async send<Answer>(projectId: string, signal: AbortSignal | undefined, call: () => Promise<Answer>): Promise<Answer> {
    const place = this.places.take(projectId);
    try {
      if (!place.isGranted) await this.turnOf(place, signal);
      return await call();
    } finally {
      place.end();
    }
  }

  get waitingCalls(): number {
    return this.waiting.size;
  }

  /** Stops the waiting calls, and later calls that would have to wait. */
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
