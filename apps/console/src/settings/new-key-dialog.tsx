import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { copyText } from '../browser/clipboard';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { ChoiceField, TextField } from '../controls/field';
import { Problem } from '../controls/problem';
import { createKey, ROLES, type Role } from './api-key-queries';
import styles from './settings.module.css';
import { words } from './words';

const LIFETIMES_DAYS = [30, 90, 365];
const LIFETIMES = [
  ...LIFETIMES_DAYS.map((days) => ({ value: String(days), label: words.days(days) })),
  { value: '', label: words.noExpiry },
];
const ROLE_CHOICES = ROLES.map((role) => ({ value: role, label: words.roles[role] }));

interface NewKeyDialogProps {
  projectId: string;
  onClose: () => void;
}

/** Makes a key, and shows it once. The key is in no storage and in no query's cache: it is gone with the dialog. */
export function NewKeyDialog({ projectId, onClose }: NewKeyDialogProps) {
  const [displayName, setName] = useState('');
  const [role, setRole] = useState<Role>('OPERATOR');
  const [days, setDays] = useState(String(LIFETIMES_DAYS[1]));
  const queries = useQueryClient();
  const making = useMutation({
    mutationFn: createKey,
    gcTime: 0,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['api-keys'] }),
  });
  if (making.data) return <CreatedKey value={making.data.value} onClose={onClose} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    making.mutate({ projectId, displayName, role, days: days === '' ? null : Number(days) });
  };
  return (
    <Dialog title={words.newKey} isOpen onClose={onClose}>
      <form className={styles['form']} onSubmit={submit}>
        <TextField
          label={words.name}
          required
          maxLength={255}
          value={displayName}
          onChange={(event) => setName(event.target.value)}
        />
        <ChoiceField
          label={words.role}
          value={role}
          choices={ROLE_CHOICES}
          onChoose={(chosen) => setRole(chosen as Role)}
        />
        <ChoiceField label={words.lifetime} value={days} choices={LIFETIMES} onChoose={setDays} />
        {making.error && <Problem error={making.error} />}
        <DialogActions>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button isMain type="submit" disabled={making.isPending}>
            {words.create}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function CreatedKey({ value, onClose }: { value: string; onClose: () => void }) {
  const [outcome, setOutcome] = useState('');
  const copy = async () => setOutcome((await copyText(value)) ? words.copied : words.notCopied);
  return (
    <Dialog title={words.created} isOpen onClose={onClose}>
      <p>{words.shownOnce}</p>
      <code className={styles['key']}>{value}</code>
      <p role="status">{outcome}</p>
      <DialogActions>
        <Button onClick={() => void copy()}>{words.copy}</Button>
        <Button isMain onClick={onClose}>
          {words.done}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
