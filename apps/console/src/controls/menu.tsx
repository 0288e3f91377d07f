import { DropdownMenu } from 'radix-ui';
import { createContext, use, useRef, type ReactNode, type RefObject } from 'react';
import styles from './controls.module.css';

/** What was chosen in the menu that closes. */
const Chosen = createContext<RefObject<(() => void) | null>>({ current: null });

interface MenuProps {
  /** The button that opens the menu. */
  opener: ReactNode;
  children: ReactNode;
}

export function Menu({ opener, children }: MenuProps) {
  const chosen = useRef<(() => void) | null>(null);
  const act = () => {
    chosen.current?.();
    chosen.current = null;
  };
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{opener}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        {/* The opener gets the focus back before a chosen dialog is shown, which returns it there when it closes. */}
        <DropdownMenu.Content className={styles['menu']} sideOffset={4} align="start" onCloseAutoFocus={act}>
          <Chosen value={chosen}>{children}</Chosen>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface MenuItemProps {
  onChoose: () => void;
  children: ReactNode;
}

export function MenuItem({ onChoose, children }: MenuItemProps) {
  const chosen = use(Chosen);
  return (
    <DropdownMenu.Item className={styles['menuItem']} onSelect={() => (chosen.current = onChoose)}>
      {children}
    </DropdownMenu.Item>
  );
}
