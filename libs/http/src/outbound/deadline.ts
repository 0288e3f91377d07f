import { OutboundFailure } from '@millrace/domain';

/** The time limit of a call, combined with the caller's signal. */
export interface Deadline {
  /** Its reason is an OutboundFailure: `timeout` or `aborted`. */
  readonly signal: AbortSignal;
  /** Resolves as the work does. Rejects with the signal's reason when the signal aborts before. */
  within<T>(work: Promise<T>): Promise<T>;
  /** Stops the clock. */
  end(): void;
}

/** The clock is read this often. */
const SLICE_MS = 1_000;
/** A timer that is this late shows that the process did not run meanwhile. */
const FROZEN_MS = 1_000;

/**
 * Starts the clock. It stands still while this process is frozen: an answer that came meanwhile is in the socket and is
 * read first. `stop` is the caller's signal.
 */
export function startDeadline(limitMs: number, stop?: AbortSignal): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  const onStop = (): void =>
    controller.abort(new OutboundFailure('aborted', 'The call was stopped.', { cause: stop?.reason }));
  const onTime = (): void =>
    controller.abort(new OutboundFailure('timeout', `The call took longer than ${limitMs / 1000} seconds.`));

  let timer: NodeJS.Timeout;
  const startSlice = (leftMs: number): void => {
    const startedAt = performance.now();
    const sliceMs = Math.min(leftMs, SLICE_MS);
    timer = setTimeout(() => {
      const elapsedMs = performance.now() - startedAt;
      const nextMs = elapsedMs > sliceMs + FROZEN_MS ? leftMs : leftMs - Math.max(sliceMs, elapsedMs);
      if (nextMs > 0) startSlice(nextMs);
      else onTime();
    }, sliceMs);
  };
  startSlice(limitMs);
  if (stop?.aborted) onStop();
  stop?.addEventListener('abort', onStop, { once: true });
  return {
    signal,
    within: (work) =>
      new Promise((resolve, reject) => {
        const onAbort = (): void => reject(signal.reason as OutboundFailure);
        signal.addEventListener('abort', onAbort, { once: true });
        if (signal.aborted) onAbort();
        work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
      }),
    end() {
      clearTimeout(timer);
      stop?.removeEventListener('abort', onStop);
    },
  };
}
