import { useEffect, useState } from 'react';

/** What is loaded when it is first shown. */
export type Part<T> =
  | { state: 'loading' }
  | { state: 'loaded'; part: T }
  /** `again` loads it once more. */
  | { state: 'failed'; again: () => void };

const loaded = new WeakMap<() => Promise<object>, object>();

/**
 * Loads a part of the page. One that cannot be loaded, because the network or an older release of the service is away, is
 * no reason to show nothing: who calls this has something simpler to show. It is loaded again when the network is back.
 */
export function usePart<T extends object>(load: () => Promise<T>): Part<T> {
  const [part, setPart] = useState<Part<T>>(() => {
    const known = loaded.get(load) as T | undefined;
    return known ? { state: 'loaded', part: known } : { state: 'loading' };
  });
  const { state } = part;
  useEffect(() => {
    if (state !== 'loading') return undefined;
    let isShown = true;
    const show = (now: Part<T>) => isShown && setPart(now);
    load().then(
      (found) => {
        loaded.set(load, found);
        show({ state: 'loaded', part: found });
      },
      () => show({ state: 'failed', again: () => setPart({ state: 'loading' }) }),
    );
    return () => {
      isShown = false;
    };
  }, [load, state]);
  useEffect(() => {
    if (part.state !== 'failed') return undefined;
    window.addEventListener('online', part.again);
    return () => window.removeEventListener('online', part.again);
  }, [part]);
  return part;
}
