import { ChangedLine } from './changed-line';
import { lineChanges } from './line-changes';
import { textOf } from './value-text';
import styles from './value-diff.module.css';
import { words } from './words';

/** More would make the page slow. */
const MOST_LINES = 300;

interface ChangedValueProps {
  /** Undefined where there was nothing. */
  before: unknown;
  after: unknown;
}

/** A value as it was and as it is, line by line. */
export function ChangedValue({ before, after }: ChangedValueProps) {
  const changes = lineChanges(textOf(before), textOf(after));
  return (
    <div className={styles['value']}>
      {changes.slice(0, MOST_LINES).map((change, index) =>
        change.kind === 'gap' ? (
          <p key={index} className={styles['gap']}>
            {words.sameLines(change.lines)}
          </p>
        ) : (
          <ChangedLine key={index} {...change} />
        ),
      )}
      {changes.length > MOST_LINES && <p className={styles['gap']}>{words.cut}</p>}
    </div>
  );
}
