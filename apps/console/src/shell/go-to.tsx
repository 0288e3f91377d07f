import { useEffect, useState } from 'react';
import type { Destination } from '../palette/palette';
import { Button } from '../controls/button';
import { lazyPart } from '../controls/lazy-part';
import { words } from './words';

const Palette = lazyPart(async () => (await import('../palette/palette')).Palette, { isOver: true });

interface GoToProps {
  projectId: string;
  pages: readonly Destination[];
}

/** Opens the palette, by its button or by Ctrl-K on every page. */
export function GoTo({ projectId, pages }: GoToProps) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'k')
        return;
      event.preventDefault(); // some browsers have a search of their own there
      event.stopPropagation();
      setOpen(true);
    };
    window.addEventListener('keydown', open, true);
    return () => window.removeEventListener('keydown', open, true);
  }, []);
  return (
    <>
      <Button aria-keyshortcuts="Control+K" onClick={() => setOpen(true)}>
        {words.goTo} <kbd aria-hidden="true">{words.goToKey}</kbd>
      </Button>
      {isOpen && <Palette projectId={projectId} pages={pages} onClose={() => setOpen(false)} />}
    </>
  );
}
