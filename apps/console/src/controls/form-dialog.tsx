import type { ComponentProps } from 'react';
import { Dialog } from './dialog';
import { DialogForm } from './dialog-form';

/** Takes what is needed for something that is made or changed. */
export const FormDialog = ({ title, onClose, ...form }: { title: string } & ComponentProps<typeof DialogForm>) => (
  <Dialog title={title} isOpen onClose={onClose}>
    <DialogForm onClose={onClose} {...form} />
  </Dialog>
);
