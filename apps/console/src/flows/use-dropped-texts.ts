import { useEffect } from 'react';

const FIELDS = 'input, textarea, select, [contenteditable], [role=dialog]';

/** Takes JSON that is dropped on the page as files, or pasted while no field has the focus. */
export function useDroppedTexts(isOn: boolean, onTexts: (texts: string[]) => void): void {
  useEffect(() => {
    if (!isOn) return undefined;
    const allow = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault(); // the browser would open the file in place of the page
      void Promise.all(files.map((file) => file.text())).then(onTexts);
    };
    const paste = ({ target, clipboardData }: ClipboardEvent) => {
      const text = clipboardData?.getData('text/plain').trim() ?? '';
      if (target instanceof Element && target.closest(FIELDS)) return;
      if (text.startsWith('{') || text.startsWith('[')) onTexts([text]);
    };
    window.addEventListener('dragover', allow);
    window.addEventListener('drop', drop);
    window.addEventListener('paste', paste);
    return () => {
      window.removeEventListener('dragover', allow);
      window.removeEventListener('drop', drop);
      window.removeEventListener('paste', paste);
    };
  }, [isOn, onTexts]);
}
