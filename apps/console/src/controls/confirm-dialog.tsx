import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from './button';
import { Dialog, DialogActions } from './dialog';
import { Problem } from './problem';
import { words } from './words';

interface ConfirmDialogProps {
  title: string;
  /** What the button does, by a verb. */
  verb: string;
  onConfirm: () => Promise<unknown>;
  /** Is called when the dialog was left, and when it was confirmed and all is done. */
  onClose: () => void;
  /** What will happen, before it does. */
  children: ReactNode;
}

/** Says what will happen, and does it only when that is confirmed. It stays open with the reason when it is refused. */
export function ConfirmDialog({ title, verb, onConfirm, onClose, children }: ConfirmDialogProps) {
  const { mutate, isPending, error } = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {children}
      {error && <Problem error={error} />}
      <DialogActions>
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button isMain disabled={isPending} onClick={() => mutate()}>
          {verb}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
