import { useCallback, useEffect, useRef, useState } from 'react';

const FIELDS = 'input, textarea, select, [contenteditable="true"]';

/**
 * Gives the focus to the first field of a step's settings, once they are open. The router shows the selected step later
 * than this is wished for: until then the settings are those of the step before, and a field of theirs is about to go.
 */
export function usePanelFocus(selected: string | null) {
  const panel = useRef<HTMLDivElement>(null);
  const [wish, setWish] = useState<{ readonly stepName: string } | null>(null);
  const fulfilled = useRef<object | null>(null);
  useEffect(() => {
    if (wish === fulfilled.current || wish?.stepName !== selected) return undefined;
    const focus = () => {
      const field = panel.current?.querySelector<HTMLElement>(FIELDS);
      if (!field) return false;
      field.focus();
      fulfilled.current = wish;
      return true;
    };
    if (focus()) return undefined;
    // The settings are loaded when they are first opened.
    const observer = new MutationObserver(() => focus() && observer.disconnect());
    observer.observe(document.body, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [wish, selected]);
  const focusPanel = useCallback((stepName: string) => setWish({ stepName }), []);
  return { panel, focusPanel };
}
