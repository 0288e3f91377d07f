import { useEffect } from 'react';
import type { DraftStore } from './draft-store';

/** Ctrl-Z and Ctrl-Shift-Z, but in a field, which has its own. */
export function useEditorKeys(store: DraftStore): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isField = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
      if (isField || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return;
      event.preventDefault();
      store.dispatch({ kind: event.shiftKey ? 'redo' : 'undo' });
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [store]);
}
