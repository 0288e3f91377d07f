import { useState } from 'react';
import { signUp } from '../api/session';
import { Button } from '../controls/button';
import { TextField } from '../controls/field';
import { Problem } from '../controls/problem';
import styles from './sign-in-page.module.css';
import { useEntrance, type Entrance } from './use-entrance';
import { words } from './words';

interface NewUserFormProps extends Entrance {
  verb: string;
  invitationToken?: string;
}

const FIELDS = [
  { name: 'firstName', label: words.firstName, autoComplete: 'given-name' },
  { name: 'lastName', label: words.lastName, autoComplete: 'family-name' },
  { name: 'email', label: words.email, type: 'email', autoComplete: 'username' },
  { name: 'password', label: words.newPassword, type: 'password', autoComplete: 'new-password', minLength: 8 },
] as const;

type Given = Record<(typeof FIELDS)[number]['name'], string>;

const NOTHING: Given = { firstName: '', lastName: '', email: '', password: '' };

/** Takes what a new user is made of, and signs in as that user. */
export function NewUserForm({ verb, invitationToken, ...entrance }: NewUserFormProps) {
  const [given, setGiven] = useState(NOTHING);
  const { failure, isBusy, submit } = useEntrance(() => signUp({ ...given, invitationToken }), entrance);
  return (
    <form className={styles['form']} onSubmit={submit}>
      {FIELDS.map(({ name, ...field }) => (
        <TextField
          key={name}
          {...field}
          required
          maxLength={name === 'password' ? 128 : 255}
          value={given[name]}
          onChange={({ target }) => setGiven((before) => ({ ...before, [name]: target.value }))}
        />
      ))}
      {failure !== null && <Problem error={failure} />}
      <Button isMain type="submit" disabled={isBusy}>
        {isBusy ? words.checking : verb}
      </Button>
    </form>
  );
}
