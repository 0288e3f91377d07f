import { useState } from 'react';
import { Button } from './button';
import { ExactText } from './exact-text';
import { words } from './words';

const LETTERS_AT_FIRST = 600;

/** A text of others that may be very long: its beginning, and all of it when asked. */
export function LongText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  if (isWhole || text.length <= LETTERS_AT_FIRST) return <ExactText text={text} />;
  return (
    <>
      <ExactText text={`${text.slice(0, LETTERS_AT_FIRST)}…`} />{' '}
      <Button onClick={() => setWhole(true)}>{words.wholeText(text.length)}</Button>
    </>
  );
}
