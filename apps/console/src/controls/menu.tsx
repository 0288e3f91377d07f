import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import styles from './controls.module.css';

interface MenuProps {
  /** The button that opens the menu. */
  opener: ReactNode;
  children: ReactNode;
}

export const Menu = ({ opener, children }: MenuProps) => (
  <DropdownMenu.Root modal={false}>
    <DropdownMenu.Trigger asChild>{opener}</DropdownMenu.Trigger>
    <DropdownMenu.Portal>
      <DropdownMenu.Content className={styles['menu']} sideOffset={4} align="start">
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  </DropdownMenu.Root>
);

interface MenuItemProps {
  onChoose: () => void;
  children: ReactNode;
}

export const MenuItem = ({ onChoose, children }: MenuItemProps) => (
  <DropdownMenu.Item className={styles['menuItem']} onSelect={onChoose}>
    {children}
  </DropdownMenu.Item>
);
