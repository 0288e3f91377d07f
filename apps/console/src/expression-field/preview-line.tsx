import styles from './expression-field.module.css';
import type { Preview } from './use-preview';
import { words } from './words';

/** What a text gives for the sample data, in a line. */
export function PreviewLine({ text, preview }: { text: string; preview: Preview }) {
  switch (preview.kind) {
    case 'none':
      return null;
    case 'waits':
      return <p className={styles['quiet']}>{words.evaluating}</p>;
    case 'failed':
      return <p className={styles['quiet']}>{words.notEvaluated(preview.error.message)}</p>;
    case 'evaluated':
      if ('message' in preview)
        return (
          <p className={styles['bad']}>
            {preview.message} ({words.at(...placeOf(text, preview.position))})
          </p>
        );
      if (preview.isMissing && preview.value === '') return <p className={styles['warns']}>{words.nothing}</p>;
      return <p className={styles['value']}>{words.is(preview.value)}</p>;
  }
}

/** Line and column of a place, which both count from 1. */
function placeOf(text: string, position: number): [number, number] {
  const before = text.slice(0, position).split('\n');
  return [before.length, (before.at(-1) ?? '').length + 1];
}
