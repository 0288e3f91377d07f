const CHECK_MS = 15_000;
/** Browsers let the timers of a tab that nobody looks at run once a minute. */
const ASLEEP_MS = 120_000;

/**
 * Calls the listener when what is shown may be old: somebody looks at the page again, the network is back, or the machine
 * has slept, which no browser says. Returns how to stop that.
 */
export function onWakeUp(listener: () => void): () => void {
  let checkedAt = Date.now();
  const check = () => {
    const now = Date.now();
    if (now - checkedAt > ASLEEP_MS) listener();
    checkedAt = now;
  };
  const timer = setInterval(check, CHECK_MS);
  const onVisibility = () => document.visibilityState === 'visible' && listener();
  document.addEventListener('visibilitychange', onVisibility);
  window.addEventListener('online', listener);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', onVisibility);
    window.removeEventListener('online', listener);
  };
}
