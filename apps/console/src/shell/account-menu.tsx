import { useState } from 'react';
import { queryClient } from '../api/queries';
import { signOut, type Person } from '../api/session';
import { Button } from '../controls/button';
import { Menu, MenuItem } from '../controls/menu';
import { Problem } from '../controls/problem';
import styles from './shell.module.css';
import { ThemeDialog } from './theme-dialog';
import { words } from './words';

export function AccountMenu({ person: { firstName, lastName, email } }: { person: Person }) {
  const [isChoosingTheme, setChoosingTheme] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const leave = async () => {
    try {
      await signOut();
      queryClient.clear();
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <div className={styles['account']}>
      {failure !== null && <Problem error={failure} />}
      <span title={email} className={styles['person']}>
        {`${firstName} ${lastName}`.trim() || email}
      </span>
      <Menu opener={<Button>{words.account}</Button>}>
        <MenuItem onChoose={() => setChoosingTheme(true)}>{words.theme}</MenuItem>
        <MenuItem onChoose={() => void window.open('/api/docs', '_blank', 'noopener')}>{words.documentation}</MenuItem>
        <MenuItem onChoose={() => void leave()}>{words.signOut}</MenuItem>
      </Menu>
      <ThemeDialog isOpen={isChoosingTheme} onClose={() => setChoosingTheme(false)} />
    </div>
  );
}
