import { useState } from 'react';
import { signIn } from '../api/session';
import { Button } from '../controls/button';
import { TextField } from '../controls/field';
import { Problem } from '../controls/problem';
import styles from './sign-in-page.module.css';
import { useEntrance, type Entrance } from './use-entrance';
import { words } from './words';

/** Takes the e-mail address and the password of somebody who has an account. */
export function SignInForm({ verb, ...entrance }: Entrance & { verb: string }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { failure, isBusy, submit } = useEntrance(() => signIn(email, password), entrance);
  return (
    <form className={styles['form']} onSubmit={submit}>
      <TextField
        label={words.email}
        type="email"
        autoComplete="username"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label={words.password}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {failure !== null && <Problem error={failure} />}
      <Button isMain type="submit" disabled={isBusy}>
        {isBusy ? words.signingIn : verb}
      </Button>
    </form>
  );
}
