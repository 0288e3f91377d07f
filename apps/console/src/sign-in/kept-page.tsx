import { useEffect, useState, type ReactNode } from 'react';
import { useRevalidator } from 'react-router';
import { useIsSessionLost, usePerson } from '../api/session';
import { lazyPart } from '../controls/lazy-part';
import { Starting } from '../shell/starting';

const SignInAgainDialog = lazyPart(async () => (await import('./sign-in-again-dialog')).SignInAgainDialog, {
  isOver: true,
});

/**
 * Keeps the page as it is when the session of its person ends, with all that was typed, behind a sign-in. When somebody
 * else signs in, nothing of it is left.
 */
export function KeptPage({ children }: { children: ReactNode }) {
  const person = usePerson();
  const isLost = useIsSessionLost();
  const [owner, setOwner] = useState(person);
  const { revalidate } = useRevalidator();
  const isOfOther = person !== null && person.id !== owner?.id;
  useEffect(() => {
    if (isOfOther) void revalidate().then(() => setOwner(person));
  }, [isOfOther, person, revalidate]);
  if (isOfOther) return <Starting />;
  return (
    <>
      {children}
      {person && isLost && <SignInAgainDialog person={person} />}
    </>
  );
}
