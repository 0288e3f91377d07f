import { useEffect, useRef } from 'react';

/** Ctrl-Enter, in fields too: it comes before what they would do with it. */
export function useTestKey(test: () => void, withShift = false): void {
  const latest = useRef(test);
  useEffect(() => {
    latest.current = test;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isAsked = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.shiftKey === withShift;
      if (!isAsked || document.querySelector('[role=dialog]')) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current();
    };
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [withShift]);
}
