import { useEffect, useLayoutEffect, useRef, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import { isWithin, placeOfMenu, type Box } from './menu-place';
import styles from './menu.module.css';

interface MenuPanelProps {
  id?: string;
  label?: string;
  labelledBy?: string;
  /** Where the menu belongs to, in the window. */
  anchor: () => Box;
  /** Whether the last item has the focus at first. */
  startsAtEnd?: boolean;
  /** What closes the menu by itself when it is pressed. */
  opener?: RefObject<Element | null>;
  /** The menu was left. */
  onClose: () => void;
  children: ReactNode;
}

const ITEMS = '[role=menuitem]:not([aria-disabled=true])';

/** An open menu: arrows, Home and End go along it, a letter goes to the next item that begins with it. */
export function MenuPanel({ id, label, labelledBy, anchor, startsAtEnd = false, ...rest }: MenuPanelProps) {
  const { opener, onClose, children } = rest;
  const panel = useRef<HTMLDivElement>(null);
  usePlace(panel, opener, anchor, onClose);
  useClosing([panel, opener], onClose);
  useLayoutEffect(() => {
    const items = itemsOf(panel.current);
    (items.at(startsAtEnd ? -1 : 0) ?? panel.current)?.focus();
  }, [startsAtEnd]);
  const walk = (event: KeyboardEvent) => {
    event.stopPropagation(); // what is around a menu has keys of its own
    if (event.key === 'Escape' || event.key === 'Tab') {
      if (event.key === 'Escape') event.preventDefault();
      return onClose();
    }
    const next = nextItem(itemsOf(panel.current), document.activeElement, event.key);
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <div
      ref={panel}
      id={id}
      role="menu"
      aria-label={label}
      aria-labelledby={labelledBy}
      popover="manual"
      tabIndex={-1}
      className={styles['menu']}
      onKeyDown={walk}
    >
      {children}
    </div>
  );
}

type PanelRef = RefObject<HTMLDivElement | null>;
type Inside = readonly (RefObject<Element | null> | undefined)[];

/**
 * Shows the menu above everything else, and keeps it at its anchor, which moves when the page scrolls or a list is
 * loaded again. The menu closes when its anchor is out of the window.
 */
function usePlace(panel: PanelRef, opener: MenuPanelProps['opener'], anchor: () => Box, onClose: () => void): void {
  const current = useRef({ opener, anchor, onClose });
  useEffect(() => {
    current.current = { opener, anchor, onClose };
  });
  useLayoutEffect(() => {
    const element = panel.current;
    if (!element) return;
    element.showPopover();
    place(element, current.current.anchor()); // before the browser paints it
    const follow = () => {
      const box = current.current.anchor();
      const isHidden = current.current.opener?.current?.checkVisibility() === false;
      if (isHidden || !isWithin(box, sizeOfWindow())) return current.current.onClose();
      place(element, box);
      frame = requestAnimationFrame(follow);
    };
    let frame = requestAnimationFrame(follow);
    return () => cancelAnimationFrame(frame);
  }, [panel]);
}

function place(menu: HTMLElement, anchor: Box): void {
  const { width, height } = menu.getBoundingClientRect();
  const { left, top } = placeOfMenu(anchor, { width, height }, sizeOfWindow());
  Object.assign(menu.style, { left: `${left}px`, top: `${top}px` });
}

const sizeOfWindow = () => ({ width: window.innerWidth, height: window.innerHeight });

/** A press elsewhere leaves the menu. */
function useClosing(inside: Inside, onClose: () => void) {
  const current = useRef({ inside, onClose });
  useEffect(() => {
    current.current = { inside, onClose };
  });
  useEffect(() => {
    const leaveByPress = ({ target }: Event) => {
      const { inside: elements, onClose: close } = current.current;
      if (!elements.some((each) => target instanceof Node && each?.current?.contains(target))) close();
    };
    window.addEventListener('pointerdown', leaveByPress, true);
    return () => window.removeEventListener('pointerdown', leaveByPress, true);
  }, []);
}

const itemsOf = (panel: HTMLElement | null): HTMLElement[] => [...(panel?.querySelectorAll<HTMLElement>(ITEMS) ?? [])];

function nextItem(items: readonly HTMLElement[], current: Element | null, key: string): HTMLElement | undefined {
  const at = items.findIndex((item) => item === current);
  if (key === 'ArrowDown') return items[(at + 1) % items.length];
  if (key === 'ArrowUp') return items.at(at <= 0 ? -1 : at - 1);
  if (key === 'Home') return items[0];
  if (key === 'End') return items.at(-1);
  if (key.length !== 1 || key === ' ') return undefined;
  const after = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  return after.find(({ textContent }) => textContent.toLowerCase().startsWith(key.toLowerCase()));
}
