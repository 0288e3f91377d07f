import { useState } from 'react';
import { signIn } from '../api/session';
import { Button } from '../controls/button';
import { TextField } from '../controls/field';
import { Problem } from '../controls/problem';
import styles from './sign-in-page.module.css';
import { useEntrance, type Entrance } from './use-entrance';
import { words } from './words';

interface SignInFormProps extends Entrance {
  verb: string;
  /** The e-mail address of who is likely to sign in. */
  knownEmail?: string;
}

/** Takes the e-mail address and the password of somebody who has an account. */
export function SignInForm({ verb, knownEmail = '', ...entrance }: SignInFormProps) {
  const [email, setEmail] = useState(knownEmail);
  const [password, setPassword] = useState('');
  const { failure, isBusy, submit } = useEntrance(() => signIn(email, password), entrance);
  return (
    <form className={styles['form']} onSubmit={submit}>
      <TextField
        label={words.email}
        type="email"
        autoComplete="username"
        required
        autoFocus={knownEmail === ''}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label={words.password}
        type="password"
        autoComplete="current-password"
        required
        autoFocus={knownEmail !== ''}
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
