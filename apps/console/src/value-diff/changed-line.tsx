import { ExactText } from '../controls/exact-text';
import styles from './value-diff.module.css';

const MOST_LETTERS = 20_000;
const SIGNS = { same: '  ', removed: '− ', added: '+ ' };

interface ChangedLineProps {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** A line by sign and colour. Programs that read the page aloud say what was deleted and inserted. */
export function ChangedLine({ kind, text }: ChangedLineProps) {
  const shown = <ExactText text={text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text} />;
  const sign = <span aria-hidden="true">{SIGNS[kind]}</span>;
  const Mark = kind === 'removed' ? 'del' : 'ins';
  return (
    <pre className={`${styles['line']} ${styles[kind]}`}>
      {sign}
      {kind === 'same' ? shown : <Mark>{shown}</Mark>}
    </pre>
  );
}
