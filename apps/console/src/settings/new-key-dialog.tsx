import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ChoiceField, TextField } from '../controls/field';
import { FormDialog } from '../controls/form-dialog';
import { ShownOnceDialog } from '../controls/shown-once-dialog';
import { createKey } from './api-key-queries';
import { ROLE_CHOICES, type Role } from './roles';
import { keyWords as words } from './words';

const LIFETIMES_DAYS = [30, 90, 365];
const LIFETIMES = [
  ...LIFETIMES_DAYS.map((days) => ({ value: String(days), label: words.days(days) })),
  { value: '', label: words.noExpiry },
];

interface NewKeyDialogProps {
  projectId: string;
  onClose: () => void;
}

/** Makes a key, and shows it once. The key is in no storage and in no query's cache: it is gone with the dialog. */
export function NewKeyDialog({ projectId, onClose }: NewKeyDialogProps) {
  const [displayName, setName] = useState('');
  const [role, setRole] = useState<Role>('OPERATOR');
  const [days, setDays] = useState(String(LIFETIMES_DAYS[1]));
  const [key, setKey] = useState<string | null>(null);
  const queries = useQueryClient();
  const submit = async () => {
    const { value } = await createKey({ projectId, displayName, role, days: days === '' ? null : Number(days) });
    setKey(value);
    await queries.invalidateQueries({ queryKey: ['api-keys'] });
  };
  if (key !== null)
    return (
      <ShownOnceDialog
        title={words.created}
        says={words.shownOnce}
        value={key}
        copyWord={words.copy}
        onClose={onClose}
      />
    );
  return (
    <FormDialog title={words.newKey} verb={words.create} onSubmit={submit} onClose={onClose}>
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
    </FormDialog>
  );
}
