import styles from './loading.module.css';
import { useTakesLong } from './use-takes-long';
import { words } from './words';

const LINES = ['first', 'second', 'third'];

/** Stands where something will be. It shows nothing for a moment, because most answers come within it. */
export function Loading() {
  const isLong = useTakesLong(LINES);
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
