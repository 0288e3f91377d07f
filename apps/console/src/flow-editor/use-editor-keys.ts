import { useEffect, useRef } from 'react';
import { commandOf, type Command } from './editor-keys';

/** Parts of the page that have keys of their own. */
const FIELDS = 'input, textarea, select, [contenteditable="true"], [role="combobox"]';
const OVERLAYS = '[role="dialog"], [role="menu"]';

/** What each key does. A command that returns false leaves the key to the page. */
export type Commands = Record<Command, () => unknown>;

export function useEditorKeys(commands: Commands): void {
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : document.body;
      if (event.defaultPrevented || target.closest(OVERLAYS) || document.querySelector(OVERLAYS)) return;
      const command = commandOf(event, { isInField: isField(target), isInPicture: isInPicture(target) });
      if (command === null || latest.current[command]() === false) return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** What is copied and pasted outside of fields is steps. */
export interface ClipboardCommands {
  /** The text of what is copied; null to leave it to the page. */
  copied: () => string | null;
  cut: () => unknown;
  pasted: (text: string) => unknown;
}

export function useEditorClipboard(commands: ClipboardCommands): void {
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  });
  useEffect(() => {
    const isOurs = ({ target }: Event): boolean =>
      target instanceof Element && !isField(target) && document.querySelector(OVERLAYS) === null;
    const onCopy = (event: ClipboardEvent) => {
      // Text that is selected on the page is what is meant then.
      if (!isOurs(event) || window.getSelection()?.isCollapsed === false) return;
      const text = latest.current.copied();
      if (text === null) return;
      event.preventDefault();
      event.clipboardData?.setData('text/plain', text);
      if (event.type === 'cut') latest.current.cut();
    };
    const onPaste = (event: ClipboardEvent) => {
      if (!isOurs(event)) return;
      event.preventDefault();
      latest.current.pasted(event.clipboardData?.getData('text/plain') ?? '');
    };
    document.addEventListener('copy', onCopy);
    document.addEventListener('cut', onCopy);
    document.addEventListener('paste', onPaste);
    return () => {
      document.removeEventListener('copy', onCopy);
      document.removeEventListener('cut', onCopy);
      document.removeEventListener('paste', onPaste);
    };
  }, []);
}

const isField = (target: Element): boolean => target.closest(FIELDS) !== null;
/** Also when nothing has the focus: then it is the picture that the person looks at. */
const isInPicture = (target: Element): boolean =>
  target === document.body || target.id === 'content' || target.closest('[data-canvas], [role="tree"]') !== null;
