import { useState, type FormEvent } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { TextField } from '../controls/field';
import styles from './flow-editor.module.css';
import { words } from './panel-words';

interface RenameDialogProps {
  displayName: string;
  onRename: (displayName: string) => void;
  onClose: () => void;
}

export function RenameDialog({ displayName, onRename, onClose }: RenameDialogProps) {
  const [name, setName] = useState(displayName);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '' && name !== displayName) onRename(name.trim());
    onClose();
  };
  return (
    <Dialog title={words.renameFlow} isOpen onClose={onClose}>
      <form className={styles['fields']} onSubmit={submit}>
        <TextField
          label={words.flowName}
          required
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <DialogActions>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button isMain type="submit">
            {words.rename}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
