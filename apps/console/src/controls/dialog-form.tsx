import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { Button } from './button';
import { DialogActions } from './dialog';
import styles from './form-dialog.module.css';
import { Problem } from './problem';
import { words } from './words';

interface DialogFormProps {
  /** What the button does, by a verb. */
  verb: string;
  /** Takes what is in the fields. What it throws is shown, and the fields stay as they are. */
  onSubmit: () => Promise<unknown>;
  onClose: () => void;
  /** The fields. */
  children: ReactNode;
}

/** The fields of a dialog, with its buttons below. */
export function DialogForm({ verb, onSubmit, onClose, children }: DialogFormProps) {
  const { mutate, isPending, error } = useMutation({ mutationFn: onSubmit, gcTime: 0 });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form className={styles['form']} onSubmit={submit}>
      {children}
      {error && <Problem error={error} />}
      <DialogActions>
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button isMain type="submit" disabled={isPending}>
          {verb}
        </Button>
      </DialogActions>
    </form>
  );
}
