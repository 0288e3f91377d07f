import { useState } from 'react';
import { copyText } from '../browser/clipboard';
import { Button } from './button';
import styles from './copyable.module.css';
import { words } from './words';

interface CopyableProps {
  value: string;
  /** What the button copies, such as "Copy key". */
  copyWord?: string;
}

/** A text that is wanted elsewhere, with a button that copies it. */
export function Copyable({ value, copyWord = words.copy }: CopyableProps) {
  const [outcome, setOutcome] = useState('');
  const copy = async () => setOutcome((await copyText(value)) ? words.copied : words.notCopied);
  return (
    <div className={styles['copyable']}>
      <code>{value}</code>
      <Button onClick={() => void copy()}>{copyWord}</Button>
      <span role="status">{outcome}</span>
    </div>
  );
}
