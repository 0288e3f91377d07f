import { useState } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import styles from './shell.module.css';
import { chooseTheme, chosenTheme, THEMES, type Theme } from './theme';
import { words } from './words';

/** Lets a person choose the theme. The choice shows at once. */
export function ThemeDialog({ onClose }: { onClose: () => void }) {
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (chosen: Theme) => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <Dialog title={words.theme} isOpen onClose={onClose}>
      <div role="radiogroup" aria-label={words.theme} className={styles['choices']}>
        {THEMES.map((each) => (
          <label key={each} className={styles['choice']}>
            <input type="radio" name="theme" checked={each === theme} onChange={() => choose(each)} />
            {words.themes[each]}
          </label>
        ))}
      </div>
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
      </DialogActions>
    </Dialog>
  );
}
