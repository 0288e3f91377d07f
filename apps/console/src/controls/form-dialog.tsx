import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { Button } from './button';
import styles from './form-dialog.module.css';
import { Dialog, DialogActions } from './dialog';
import { Problem } from './problem';
import { words } from './words';

interface FormDialogProps {
  title: string;
  /** What the button does, by a verb. */
  verb: string;
  /** Takes what is in the fields. What it throws is shown, and the fields stay as they are. */
  onSubmit: () => Promise<unknown>;
  onClose: () => void;
  /** The fields. */
  children: ReactNode;
}

/** Takes what is needed for something that is made or changed. */
export function FormDialog({ title, verb, onSubmit, onClose, children }: FormDialogProps) {
  const { mutate, isPending, error } = useMutation({ mutationFn: onSubmit, gcTime: 0 });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <Dialog title={title} isOpen onClose={onClose}>
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
    </Dialog>
  );
}
