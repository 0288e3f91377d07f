import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import styles from './controls.module.css';

interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** Asks before something is done, or takes what is needed for it. Escape closes it. */
export const Dialog = ({ title, isOpen, onClose, children }: DialogProps) => (
  <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
    <Radix.Portal>
      <Radix.Overlay className={styles['overlay']} />
      <Radix.Content className={styles['dialog']} aria-describedby={undefined}>
        <Radix.Title asChild>
          <h2>{title}</h2>
        </Radix.Title>
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);

export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className={styles['actions']}>{children}</div>
);
