import { useEffect } from 'react';
import { renew, type Person } from '../api/session';
import { onWakeUp } from '../browser/wake-up';
import { Dialog } from '../controls/dialog';
import { SignInForm } from './sign-in-form';
import { words } from './words';

/** Stands before the page of a person whose session has ended. It goes when they have signed in, also in another tab. */
export function SignInAgainDialog({ person }: { person: Person }) {
  useEffect(() => onWakeUp(() => void renew().catch(() => null)), []);
  return (
    <Dialog title={words.signInAgain} isOpen hidesPage onClose={stayOpen}>
      <p>{words.sessionEnded}</p>
      <SignInForm verb={words.signIn} knownEmail={person.email} onDone={stayOpen} />
    </Dialog>
  );
}

const stayOpen = (): void => undefined;
