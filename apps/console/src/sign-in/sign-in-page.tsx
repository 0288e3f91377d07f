import { useState, type FormEvent } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { signIn } from '../api/session';
import { Button } from '../controls/button';
import { TextField } from '../controls/field';
import { Problem } from '../controls/problem';
import { titleOf } from '../shell/words';
import { wayBack } from './way-back';
import styles from './sign-in-page.module.css';
import { words } from './words';

export function SignInPage() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [search] = useSearchParams();
  const navigate = useNavigate();

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    try {
      await signIn(email, password);
      await navigate(wayBack(search.get('next')), { replace: true });
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <main className={styles['page']}>
      <title>{titleOf(words.signIn)}</title>
      <h1>
        <span aria-hidden="true">◆</span> Millrace
      </h1>
      <form className={styles['form']} onSubmit={(event) => void submit(event)}>
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
          {isBusy ? words.signingIn : words.signIn}
        </Button>
      </form>
    </main>
  );
}
