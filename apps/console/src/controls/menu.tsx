import {
  cloneElement,
  createContext,
  use,
  useId,
  useRef,
  useState,
  type ComponentProps,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from 'react';
import { flushSync } from 'react-dom';
import { MenuPanel } from './menu-panel';
import styles from './menu.module.css';

/** Closes the menu and does what was chosen. */
const Choose = createContext<(action: () => void) => void>(() => undefined);

interface MenuProps {
  /** The button that opens the menu. */
  opener: ReactElement<ComponentProps<'button'>>;
  children: ReactNode;
}

/** A button with a menu. Which of its two ends has the focus at first follows the key that opened it. */
export function Menu({ opener, children }: MenuProps) {
  const [id, openerId] = [useId(), useId()];
  const [isOpen, setOpen] = useState(false);
  const [startsAtEnd, setStartsAtEnd] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const open = (atEnd: boolean) => {
    setStartsAtEnd(atEnd);
    setOpen(true);
  };
  // The opener gets the focus back before a chosen dialog is shown, which returns it there when it closes.
  const close = () => {
    flushSync(() => setOpen(false));
    button.current?.focus({ preventScroll: true }); // it may have been scrolled away
  };
  const openByArrow = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    open(event.key === 'ArrowUp');
  };
  return (
    <>
      {cloneElement(opener, {
        ref: button,
        id: openerId,
        'aria-haspopup': 'menu',
        'aria-expanded': isOpen,
        'aria-controls': isOpen ? id : undefined,
        onClick: () => (isOpen ? close() : open(false)),
        onKeyDown: openByArrow,
      })}
      {isOpen && (
        <Choose value={(action) => [close(), action()]}>
          <MenuPanel
            id={id}
            labelledBy={openerId}
            anchor={() => button.current?.getBoundingClientRect() ?? new DOMRect()}
            startsAtEnd={startsAtEnd}
            opener={button}
            onClose={close}
          >
            {children}
          </MenuPanel>
        </Choose>
      )}
    </>
  );
}

interface MenuAtPointProps {
  /** Of the window. */
  point: { x: number; y: number };
  label: string;
  onClose: () => void;
  children: ReactNode;
}

/** An open menu at a point of the window. When it closes, the focus goes back to where it was. */
export function MenuAtPoint({ point, label, onClose, children }: MenuAtPointProps) {
  const [before] = useState(() => document.activeElement);
  const close = () => {
    flushSync(onClose);
    if (before instanceof HTMLElement) before.focus();
  };
  return (
    <Choose value={(action) => [close(), action()]}>
      <MenuPanel label={label} anchor={() => new DOMRect(point.x, point.y)} onClose={close}>
        {children}
      </MenuPanel>
    </Choose>
  );
}

interface MenuItemProps {
  onChoose: () => void;
  isDisabled?: boolean;
  /** The key that does the same. */
  hint?: string;
  children: ReactNode;
}

export function MenuItem({ onChoose, isDisabled = false, hint, children }: MenuItemProps) {
  const choose = use(Choose);
  const act = () => !isDisabled && choose(onChoose);
  const actByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault(); // the key would press the opener, which gets the focus
    act();
  };
  return (
    <div
      role="menuitem"
      aria-disabled={isDisabled || undefined}
      tabIndex={-1}
      className={styles['item']}
      onClick={act}
      onKeyDown={actByKey}
      onPointerMove={({ currentTarget }) => !isDisabled && currentTarget.focus()}
    >
      {children}
      {hint !== undefined && (
        <kbd className={styles['hint']} aria-hidden="true">
          {hint}
        </kbd>
      )}
    </div>
  );
}

export const MenuLine = () => <hr className={styles['line']} />;
