import { setMaxListeners } from 'node:events';

/** A signal that aborts when another does, or at a time limit. */
export interface AbortAfter {
  readonly signal: AbortSignal;
  /** Whether the limit aborted the signal, and not the other signal. */
  readonly isOutOfTime: boolean;
  /** Stops the clock until `restart`. */
  pause(): void;
  /** Starts the clock again, with the whole limit. */
  restart(): void;
  /** Stops the clock, and listens to the other signal no more. */
  end(): void;
}

/**
 * Starts the clock. `stop` may live as long as the process, so `end` must be called: `AbortSignal.any` would leave a
 * trace of each limit in it for ever.
 */
export function abortAfter(limitMs: number, stop?: AbortSignal): AbortAfter {
  const link = abortWith(stop ? [stop] : []);
  let isOutOfTime = false;
  let isOver = false;
  const start = (): NodeJS.Timeout =>
    setTimeout(() => {
      isOutOfTime = true;
      link.abort(new Error(`It took more than ${limitMs / 1_000} seconds.`));
    }, limitMs);
  let timer = start();
  return {
    signal: link.signal,
    get isOutOfTime() {
      return isOutOfTime;
    },
    pause: () => clearTimeout(timer),
    restart() {
      clearTimeout(timer);
      if (!isOver) timer = start();
    },
    end() {
      isOver = true;
      clearTimeout(timer);
      link.end();
    },
  };
}

/** A signal that aborts when one of others does. */
export interface AbortLink {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Listens to the other signals no more. */
  end(): void;
}

/** Takes the place of `AbortSignal.any`, which leaves a trace of itself in each of the signals. `end` must be called. */
export function abortWith(others: readonly AbortSignal[]): AbortLink {
  const controller = new AbortController();
  // Several calls may listen at once. Node would warn of the eleventh as of a leak.
  setMaxListeners(0, controller.signal);
  const listeners = others.map((other) => ({ other, abort: () => controller.abort(other.reason) }));
  for (const { other, abort } of listeners)
    if (other.aborted) abort();
    else other.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    end() {
      for (const { other, abort } of listeners) other.removeEventListener('abort', abort);
    },
  };
}
