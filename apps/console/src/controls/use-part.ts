import { useEffect, useState } from 'react';

/** What is loaded when it is first shown. */
export type Part<T> =
  | { state: 'loading'; isAskedForAgain?: boolean }
  | { state: 'loaded'; part: T }
  /** `again` loads it once more. */
  | { state: 'failed'; again: () => void };

const loaded = new WeakMap<() => Promise<object>, object>();

/**
 * Loads a part of the page. One that cannot be loaded, because the network or an older release of the service is away, is
 * no reason to show nothing: who calls this has something simpler to show. It is loaded again when the network is back.
 * When somebody asks for it and the browser does not load it again, as Chromium 150 does not, the page is loaded again.
 */
export function usePart<T extends object>(load: () => Promise<T>): Part<T> {
  const [part, setPart] = useState<Part<T>>(() => {
    const known = loaded.get(load) as T | undefined;
    return known ? { state: 'loaded', part: known } : { state: 'loading' };
  });
  const isAskedForAgain = part.state === 'loading' && part.isAskedForAgain;
  useEffect(() => {
    if (part.state !== 'loading') return undefined;
    let isShown = true;
    const show = (now: Part<T>) => isShown && setPart(now);
    loadOnline(load).then(
      (found) => {
        loaded.set(load, found);
        show({ state: 'loaded', part: found });
      },
      async () => {
        if (isAskedForAgain && (await isServiceThere())) window.location.reload();
        else show({ state: 'failed', again: () => setPart({ state: 'loading', isAskedForAgain: true }) });
      },
    );
    return () => {
      isShown = false;
    };
  }, [load, part.state, isAskedForAgain]);
  useEffect(() => {
    if (part.state !== 'failed') return undefined;
    const onOnline = () => setPart({ state: 'loading' });
    window.addEventListener('online', onOnline);
    return () => window.removeEventListener('online', onOnline);
  }, [part.state]);
  return part;
}

/** Asks for nothing without a network, because a browser may keep an import that failed until the page is left. */
const loadOnline = <T>(load: () => Promise<T>): Promise<T> =>
  navigator.onLine ? load() : Promise.reject(new Error('There is no network.'));

const isServiceThere = (): Promise<boolean> =>
  fetch(window.location.href, { cache: 'no-store', headers: { accept: 'text/html' } }).then(
    ({ ok }) => ok,
    () => false,
  );
