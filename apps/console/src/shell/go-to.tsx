import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Command, Destination } from '../palette/palette';
import { Button } from '../controls/button';
import { lazyPart } from '../controls/lazy-part';
import { RailIcon } from './rail-icon';
import styles from './shell.module.css';
import { words } from './words';

const Palette = lazyPart(async () => (await import('../palette/palette')).Palette, { isOver: true });

interface GoToProps {
  projectId: string;
  pages: readonly Destination[];
  /** What can be done on every page. */
  commands: readonly Command[];
}

/** Opens the palette, by its button or by Ctrl-K on every page. */
export function GoTo({ projectId, pages, commands }: GoToProps) {
  const [isOpen, setOpen] = useState(false);
  const before = useRef<Element | null>(null);
  const show = () => {
    before.current ??= document.activeElement;
    setOpen(true);
  };
  const close = () => {
    before.current = null;
    setOpen(false);
  };
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'k')
        return;
      event.preventDefault(); // some browsers have a search of their own there
      event.stopPropagation();
      show();
    };
    window.addEventListener('keydown', open, true);
    return () => window.removeEventListener('keydown', open, true);
  }, []);
  // The focus goes back before a chosen dialog is shown, which returns it there when it closes.
  const choose = (act: () => void) => {
    const { current } = before;
    flushSync(close);
    if (current instanceof HTMLElement) current.focus();
    act();
  };
  return (
    <>
      <Button aria-keyshortcuts="Control+K" className={styles['goTo'] ?? ''} onClick={show}>
        <RailIcon name="search" /> <span className={styles['railName']}>{words.goTo}</span>
        <kbd aria-hidden="true">{words.goToKey}</kbd>
      </Button>
      {isOpen && <Palette {...{ projectId, pages, commands }} onChoose={choose} onClose={close} />}
    </>
  );
}
