import { useState, type FormEvent } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { TextField } from '../controls/field';
import { Problem } from '../controls/problem';
import { createFlow } from './flow-changes';
import styles from './flows-page.module.css';
import { words } from './words';

/** Takes the name of a new flow, and opens it in the editor. */
export function NewFlowDialog({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const [name, setName] = useState('');
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const navigate = useNavigate();
  const create = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await navigate(`/flows/${await createFlow(projectId, name.trim())}`);
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={words.newFlow} isOpen onClose={onClose}>
      <form className={styles['form']} onSubmit={(event) => void create(event)}>
        <TextField
          label={words.nameOfFlow}
          required
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        {failure !== null && <Problem error={failure} />}
        <DialogActions>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button isMain type="submit" disabled={isBusy || name.trim() === ''}>
            {words.createFlow}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
