import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { installationQuery } from '../api/installation';
import { titleOf } from '../shell/words';
import { SignInForm } from './sign-in-form';
import { wayBack } from './way-back';
import styles from './sign-in-page.module.css';
import { words } from './words';

export function SignInPage() {
  const [search] = useSearchParams();
  const { data: installation } = useQuery(installationQuery);
  const navigate = useNavigate();
  return (
    <main className={styles['page']}>
      <title>{titleOf(words.signIn)}</title>
      <h1>
        <span aria-hidden="true">◆</span> {words.brand}
      </h1>
      <SignInForm verb={words.signIn} onDone={() => navigate(wayBack(search.get('next')), { replace: true })} />
      {installation?.signUpEnabled && <Link to="/sign-up">{words.signUp}</Link>}
    </main>
  );
}
