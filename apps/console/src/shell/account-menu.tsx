import { useState } from 'react';
import type { Person } from '../api/session';
import { Button } from '../controls/button';
import { lazyPart } from '../controls/lazy-part';
import { Menu, MenuItem } from '../controls/menu';
import { Problem } from '../controls/problem';
import { openDocumentation } from './documentation';
import styles from './shell.module.css';
import { words } from './words';

const ThemeDialog = lazyPart(async () => (await import('./theme-dialog')).ThemeDialog, { isOver: true });

export interface SignOut {
  onChoose: () => void;
  /** Why the person is still signed in. */
  failure: unknown;
}

interface AccountMenuProps {
  person: Person;
  signOut: SignOut;
}

export function AccountMenu({ person: { firstName, lastName, email }, signOut }: AccountMenuProps) {
  const [isChoosingTheme, setChoosingTheme] = useState(false);
  const name = `${firstName} ${lastName}`.trim() || email;
  const letters = firstName.slice(0, 1) + lastName.slice(0, 1) || email.slice(0, 1);
  const opener = (
    <Button aria-label={words.account(name)} title={email} className={styles['account'] ?? ''}>
      <span className={styles['letters']} data-letters={letters.toUpperCase()} />
      <span className={styles['railName']}>{name}</span>
    </Button>
  );
  return (
    <div>
      {signOut.failure !== null && <Problem error={signOut.failure} />}
      <Menu opener={opener}>
        <MenuItem onChoose={() => setChoosingTheme(true)}>{words.theme}</MenuItem>
        <MenuItem onChoose={openDocumentation}>{words.documentation}</MenuItem>
        <MenuItem onChoose={signOut.onChoose}>{words.signOut}</MenuItem>
      </Menu>
      {isChoosingTheme && <ThemeDialog onClose={() => setChoosingTheme(false)} />}
    </div>
  );
}
