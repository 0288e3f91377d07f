/** A time limit for work that stops early when another signal aborts. */
export interface AbortAfter {
  readonly signal: AbortSignal;
  /** Whether the limit aborted the signal, and not the other signal. */
  readonly isOutOfTime: boolean;
  /** Stops the clock. */
  end(): void;
}

/**
 * Starts the clock. `stop` may live as long as the process, so `end` must be called: `AbortSignal.any` would leave a
 * trace of each limit in it for ever.
 */
export function abortAfter(limitMs: number, stop: AbortSignal): AbortAfter {
  const controller = new AbortController();
  const onStop = (): void => controller.abort(stop.reason);
  let isOutOfTime = false;
  const timer = setTimeout(() => {
    isOutOfTime = true;
    controller.abort(new Error(`It took more than ${limitMs / 1_000} seconds.`));
  }, limitMs);
  if (stop.aborted) onStop();
  else stop.addEventListener('abort', onStop, { once: true });
  return {
    signal: controller.signal,
    get isOutOfTime() {
      return isOutOfTime;
    },
    end() {
      clearTimeout(timer);
      stop.removeEventListener('abort', onStop);
    },
  };
}
