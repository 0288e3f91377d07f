import { Dialog as Radix } from 'radix-ui';
import { useRef, type ReactNode } from 'react';
import styles from './controls.module.css';

interface DialogProps {
  title: string;
  isOpen: boolean;
  /** Whether nothing of what is behind it may be seen. */
  hidesPage?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** Asks before something is done, or takes what is needed for it. Escape closes it, and the focus goes back. */
export function Dialog({ title, isOpen, hidesPage = false, onClose, children }: DialogProps) {
  const before = useRef<Element | null>(null);
  // Radix gives the focus back only to a trigger of its own. What took it meanwhile keeps it.
  const giveFocusBack = (event: Event) => {
    event.preventDefault();
    if (document.activeElement === document.body && before.current instanceof HTMLElement) before.current.focus();
  };
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={styles['overlay']} data-hides-page={hidesPage || undefined} />
        <Radix.Content
          className={styles['dialog']}
          aria-describedby={undefined}
          onOpenAutoFocus={() => (before.current = document.activeElement)}
          onCloseAutoFocus={giveFocusBack}
        >
          <Radix.Title asChild>
            <h2>{title}</h2>
          </Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className={styles['actions']}>{children}</div>
);
