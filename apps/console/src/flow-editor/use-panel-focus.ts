import { useCallback, useEffect, useRef, useState } from 'react';

const FIELDS = 'input, textarea, select, [contenteditable="true"]';

/** Gives the focus to the first field of the settings, once they are open. */
export function usePanelFocus() {
  const panel = useRef<HTMLDivElement>(null);
  const [wish, setWish] = useState<object | null>(null);
  useEffect(() => {
    const focus = () => {
      const field = panel.current?.querySelector<HTMLElement>(FIELDS);
      field?.focus();
      return field !== null && field !== undefined;
    };
    if (!wish || focus()) return undefined;
    // The settings are loaded when they are first opened.
    const observer = new MutationObserver(() => focus() && observer.disconnect());
    observer.observe(document.body, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [wish]);
  const focusPanel = useCallback(() => setWish({}), []);
  return { panel, focusPanel };
}
