import { Button } from './button';
import { Copyable } from './copyable';
import { Dialog, DialogActions } from './dialog';
import { words } from './words';

interface ShownOnceDialogProps {
  title: string;
  /** Why it has to be copied now. */
  says: string;
  value: string;
  copyWord: string;
  onClose: () => void;
}

/** Shows a secret that nobody can read again. It is in no storage: it is gone with the dialog. */
export const ShownOnceDialog = ({ title, says, value, copyWord, onClose }: ShownOnceDialogProps) => (
  <Dialog title={title} isOpen onClose={onClose}>
    <p>{says}</p>
    <Copyable value={value} copyWord={copyWord} />
    <DialogActions>
      <Button isMain onClick={onClose}>
        {words.done}
      </Button>
    </DialogActions>
  </Dialog>
);
