import { useEffect, useState } from 'react';
import styles from './loading.module.css';
import { words } from './words';

/** After this time a person wants to know whether anything still happens. */
const LONG_MS = 10_000;
const LINES = ['first', 'second', 'third'];

/** Stands where something will be. It shows nothing for a moment, because most answers come within it. */
export function Loading() {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={styles['loading']}>
      <p role="status" className={isLong ? undefined : styles['hidden']}>
        {isLong ? words.loadingLong : words.loading}
      </p>
      {LINES.map((line) => (
        <span key={line} aria-hidden="true" className={styles['line']} />
      ))}
    </div>
  );
}
