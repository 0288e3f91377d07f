import type { ReactNode } from 'react';
import { Button } from './button';
import { Menu } from './menu';
import { words } from './words';

interface RowMenuProps {
  /** What the row is about. */
  name: string;
  /** The items. */
  children: ReactNode;
}

/** What can be done with the thing of a row. */
export const RowMenu = ({ name, children }: RowMenuProps) => (
  <Menu
    opener={
      <Button aria-label={words.actionsOf(name)} title={words.actionsOf(name)}>
        <span aria-hidden="true">⋯</span>
      </Button>
    }
  >
    {children}
  </Menu>
);
