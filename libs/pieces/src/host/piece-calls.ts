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

/** The message of what a piece threw. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message === '' ? 'The action failed and did not say why.' : message;
}
