import { useEffect, useLayoutEffect, useRef, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import { placeOfMenu, type Box } from './menu-place';
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
  usePlace(panel, anchor);
  useClosing([panel, opener], anchor, onClose);
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

/** Shows the menu above everything else. It is placed before the browser paints it. */
function usePlace(panel: PanelRef, anchor: () => Box): void {
  const where = useRef(anchor);
  useLayoutEffect(() => {
    const element = panel.current;
    if (!element) return;
    element.showPopover();
    const { width, height } = element.getBoundingClientRect();
    const { left, top } = placeOfMenu(where.current(), { width, height }, sizeOfWindow());
    Object.assign(element.style, { left: `${left}px`, top: `${top}px` });
  }, [panel]);
}

const sizeOfWindow = () => ({ width: window.innerWidth, height: window.innerHeight });

/** A press elsewhere leaves the menu, and so does whatever moves the place it belongs to. */
function useClosing(
  inside: readonly (RefObject<Element | null> | undefined)[],
  anchor: () => Box,
  onClose: () => void,
) {
  const current = useRef({ inside, anchor, onClose });
  useEffect(() => {
    current.current = { inside, anchor, onClose };
  });
  useEffect(() => {
    const before = current.current.anchor();
    const leaveByPress = ({ target }: Event) => {
      const { inside: elements, onClose: close } = current.current;
      if (!elements.some((each) => target instanceof Node && each?.current?.contains(target))) close();
    };
    // A browser may tell of a scroll that ended before the menu was opened.
    const leaveIfMoved = () => {
      const { left, top } = current.current.anchor();
      if (left !== before.left || top !== before.top) current.current.onClose();
    };
    const leave = () => current.current.onClose();
    window.addEventListener('pointerdown', leaveByPress, true);
    window.addEventListener('scroll', leaveIfMoved, true);
    window.addEventListener('resize', leave);
    return () => {
      window.removeEventListener('pointerdown', leaveByPress, true);
      window.removeEventListener('scroll', leaveIfMoved, true);
      window.removeEventListener('resize', leave);
    };
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
