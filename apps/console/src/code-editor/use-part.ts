import { useEffect, useState } from 'react';

/** What is loaded when it is first shown. */
export type Part<T> = { state: 'loading' } | { state: 'loaded'; part: T } | { state: 'failed' };

const loaded = new WeakMap<() => Promise<object>, object>();

/**
 * Loads a part of the page. One that cannot be loaded, because the network or an older release of the service is away, is
 * no reason to show nothing: who calls this has something simpler to show.
 */
export function usePart<T extends object>(load: () => Promise<T>): Part<T> {
  const [part, setPart] = useState<Part<T>>(() => {
    const known = loaded.get(load) as T | undefined;
    return known ? { state: 'loaded', part: known } : { state: 'loading' };
  });
  const isLoading = part.state === 'loading';
  useEffect(() => {
    if (!isLoading) return undefined;
    let isShown = true;
    const show = (now: Part<T>) => isShown && setPart(now);
    load().then(
      (found) => {
        loaded.set(load, found);
        show({ state: 'loaded', part: found });
      },
      () => show({ state: 'failed' }),
    );
    return () => {
      isShown = false;
    };
  }, [load, isLoading]);
  return part;
}
