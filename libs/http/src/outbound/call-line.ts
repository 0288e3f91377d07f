import { FairSlots, OutboundFailure } from '@millrace/domain';

/** How many calls are under way at once, and how many beyond them for projects that have none. */
export interface CallBounds {
  readonly calls: number;
  readonly extra: number;
}

const stopped = (): OutboundFailure => new OutboundFailure('aborted', 'The call was stopped.');

// Where calls wait until they may go out.
//
// L1. What is under way is bounded, in connections and in answers that are read: whatever is asked for beyond it waits.
// L2. Projects share the places as FairSlots says: the slow calls of one keep no other's waiting.
export class CallLine {
  private readonly places: FairSlots;
  private readonly closing = new AbortController();

  constructor({ calls, extra }: CallBounds) {
    this.places = new FairSlots(calls, extra);
  }

  /** Makes the call in its turn. Throws OutboundFailure `aborted` when it was stopped before. */
  async send<Answer>(projectId: string, stop: AbortSignal | undefined, call: () => Promise<Answer>): Promise<Answer> {
    const place = this.places.take(projectId);
    try {
      if (!place.isGranted) await unlessAborted(place.granted, [this.closing.signal, ...(stop ? [stop] : [])]);
      return await call();
    } finally {
      place.end();
    }
  }

  /** Stops the calls that wait, and those to come. */
  close(): void {
    this.closing.abort();
  }
}

function unlessAborted(granted: Promise<void>, signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => signals.forEach((signal) => signal.removeEventListener('abort', stop));
    const stop = (): void => {
      leave();
      reject(stopped());
    };
    for (const signal of signals) signal.addEventListener('abort', stop, { once: true });
    if (signals.some(({ aborted }) => aborted)) stop();
    void granted.then(() => {
      leave();
      resolve();
    });
  });
}
