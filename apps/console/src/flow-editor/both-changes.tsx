import { definitionOf } from './definition';
import { differenceWords } from './difference-words';
import { madeOf, type Draft, type Trouble } from './draft';
import styles from './flow-editor.module.css';
import { operationWords } from './operation-words';
import { words } from './panel-words';

/** What the others made of the flow, beside what was made here. */
export function BothChanges({ draft, trouble }: { draft: Draft; trouble: Extract<Trouble, { kind: 'changed' }> }) {
  const { base, theirs } = trouble;
  const mine = base
    ? differenceWords(base, madeOf(base, draft))
    : draft.queue.map(({ operation }) => operationWords(draft.shown, operation));
  return (
    <div className={styles['bothChanges']}>
      <Changes title={words.theirChanges} lines={base ? differenceWords(base, definitionOf(theirs)) : null} />
      <Changes title={words.myChanges} lines={mine} />
    </div>
  );
}

interface ChangesProps {
  title: string;
  /** Null when they are not known. */
  lines: readonly string[] | null;
}

function Changes({ title, lines }: ChangesProps) {
  const shownLines = lines === null ? [words.changesUnknown] : lines.length === 0 ? [words.noChanges] : lines;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {shownLines.map((line, index) => (
          <li key={index}>{line}</li>
        ))}
      </ul>
    </section>
  );
}
