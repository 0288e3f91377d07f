import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { installationQuery } from '../api/installation';
import { isSignedIn, signOut, usePerson, type Person } from '../api/session';
import { Button } from '../controls/button';
import { Loading } from '../controls/loading';
import { Problem } from '../controls/problem';
import { inProject } from '../shell/project';
import { titleOf } from '../shell/words';
import { accept, invitationIn } from './invitation';
import { NewUserForm } from './new-user-form';
import { SignInForm } from './sign-in-form';
import styles from './sign-in-page.module.css';
import { words } from './words';

/** Finds out before the page is shown whether somebody is signed in. */
export async function trySession(): Promise<null> {
  await isSignedIn();
  return null;
}

/** Where people come in: by an invitation, or where sign-up is open to everyone. */
export function SignUpPage() {
  const invitation = invitationIn(useLocation().hash);
  const person = usePerson();
  return (
    <main className={styles['page']}>
      <title>{titleOf(words.signUp)}</title>
      <h1>
        <span aria-hidden="true">◆</span> {words.brand}
      </h1>
      {invitation !== null ? <Invited key={invitation} token={invitation} person={person} /> : <Uninvited />}
    </main>
  );
}

function Uninvited() {
  const { data, error, refetch } = useQuery(installationQuery);
  const navigate = useNavigate();
  if (error) return <Problem error={error} onTryAgain={() => void refetch()} />;
  if (!data) return <Loading />;
  return (
    <>
      {data.signUpEnabled ? (
        <NewUserForm verb={words.create} onDone={() => navigate('/flows', { replace: true })} />
      ) : (
        <p>{words.byInvitation}</p>
      )}
      <Link to="/sign-in">{words.toSignIn}</Link>
    </>
  );
}

interface InvitedProps {
  token: string;
  person: Person | null;
}

function Invited({ token, person }: InvitedProps) {
  const [hasAccount, setHasAccount] = useState(false);
  // The form signs in first, and then shows what it does as the person who was signed in all along.
  const [isEntering, setEntering] = useState(false);
  const navigate = useNavigate();
  const goToFlows = () => navigate('/flows', { replace: true });
  const acceptNow = async () => navigate(inProject('/flows', await accept(token)), { replace: true });
  if (person && !isEntering) return <AcceptAs person={person} onAccept={acceptNow} />;
  return (
    <>
      <p>
        {words.invited} {words.invitedSays}
      </p>
      {hasAccount ? (
        <SignInForm verb={words.signInAndAccept} onStart={() => setEntering(true)} onDone={acceptNow} />
      ) : (
        <NewUserForm
          verb={words.createAndAccept}
          invitationToken={token}
          onStart={() => setEntering(true)}
          onDone={goToFlows}
        />
      )}
      <Button onClick={() => setHasAccount(!hasAccount)}>{hasAccount ? words.haveNone : words.haveAccount}</Button>
    </>
  );
}

interface AcceptAsProps {
  person: Person;
  onAccept: () => Promise<unknown>;
}

function AcceptAs({ person, onAccept }: AcceptAsProps) {
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const act = async (action: () => Promise<unknown>) => {
    setBusy(true);
    setFailure(null);
    try {
      await action();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <p>
        {words.invited} {words.acceptAs(person.email)}
      </p>
      {failure !== null && <Problem error={failure} />}
      <Button isMain disabled={isBusy} onClick={() => void act(onAccept)}>
        {words.accept}
      </Button>
      <Button disabled={isBusy} onClick={() => void act(signOut)}>
        {words.asOther}
      </Button>
    </>
  );
}
