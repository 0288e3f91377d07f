import { ChangedLine } from './changed-line';
import { lineChanges } from './line-changes';
import { sideBySide, type Row } from './side-by-side';
import { textOf } from './value-text';
import styles from './value-diff.module.css';
import { words } from './words';

/** More would make the page slow. */
const MOST_ROWS = 300;

interface ValuePairProps {
  /** Undefined where there is nothing. */
  left: unknown;
  right: unknown;
}

/** Two values beside each other, line by line. */
export function ValuePair({ left, right }: ValuePairProps) {
  const rows = sideBySide(lineChanges(textOf(left), textOf(right)));
  return (
    <div className={styles['pair']}>
      {rows.slice(0, MOST_ROWS).map((row, index) => (
        <PairRow key={index} row={row} />
      ))}
      {rows.length > MOST_ROWS && <p className={styles['gap']}>{words.cut}</p>}
    </div>
  );
}

function PairRow({ row }: { row: Row }) {
  if ('gap' in row) return <p className={styles['gap']}>{words.sameLines(row.gap)}</p>;
  return (
    <>
      <div className={styles['side']}>{row.left && <ChangedLine {...row.left} />}</div>
      <div className={`${styles['side']} ${styles['right']}`}>{row.right && <ChangedLine {...row.right} />}</div>
    </>
  );
}
