import { abortWith } from '@millrace/domain';

// What all calls of pieces share.

/**
 * Rejects at an abort of the signal, even when the action ignores it. The action then runs on, and its result is lost.
 */
export function unlessAborted<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void act()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Makes a call that stops when either signal aborts. */
export async function withBoth<T>(
  signal: AbortSignal,
  ofCaller: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (!ofCaller) return call(signal);
  const both = abortWith([ofCaller, signal]);
  try {
    return await call(both.signal);
  } finally {
    both.end();
  }
}

/** The message of what a piece threw. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message === '' ? 'The action failed and did not say why.' : message;
}
