import { Cross2Icon } from '@radix-ui/react-icons';
import { Button } from '../controls/button';
import type { Step } from '../flow-picture/step';
import styles from './flow-editor.module.css';
import { words } from './words';

export const StepPanel = ({ step, onClose }: { step: Step; onClose: () => void }) => (
  <aside aria-label={words.stepSettings} className={styles['panel']}>
    <header className={styles['panelHead']}>
      <h2>{step.displayName}</h2>
      <Button aria-label={words.close} title={words.close} onClick={onClose}>
        <Cross2Icon aria-hidden />
      </Button>
    </header>
    <pre className={styles['json']}>{JSON.stringify(step.settings, null, 2)}</pre>
  </aside>
);
