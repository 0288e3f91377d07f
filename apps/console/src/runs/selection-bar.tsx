import { useState } from 'react';
import { Button } from '../controls/button';
import { BulkDialog } from './bulk-dialog';
import type { BulkAction, Selection } from './bulk-selection';
import styles from './runs-page.module.css';
import { bulkWords, words } from './words';

const ACTIONS: readonly BulkAction[] = ['retry', 'cancel', 'archive'];

interface SelectionBarProps {
  projectId: string;
  selection: Selection;
  /** How many runs match the filters of the list; undefined when an action cannot take them all. */
  matching?: number;
  onSelectMatching: () => void;
  onUnselect: () => void;
}

/** What can be done with the runs that are selected. */
export function SelectionBar({ projectId, selection, matching, onSelectMatching, onUnselect }: SelectionBarProps) {
  const [action, setAction] = useState<BulkAction | null>(null);
  const chosen = selection.kind === 'chosen' ? selection.ids.length : (matching ?? 0);
  const isEverything = selection.kind === 'matching';
  return (
    <div role="region" aria-label={words.selection} className={styles['selectionBar']}>
      <p role="status">{isEverything ? words.allSelected(chosen) : words.selected(chosen)}</p>
      {!isEverything && matching !== undefined && matching > chosen && (
        <Button onClick={onSelectMatching}>{words.selectAll(matching)}</Button>
      )}
      <Button onClick={onUnselect}>{words.unselect}</Button>
      <span className={styles['space']} />
      {ACTIONS.map((each) => (
        <Button key={each} onClick={() => setAction(each)}>
          {bulkWords[each].open}
        </Button>
      ))}
      {action && <BulkDialog {...{ projectId, action, selection }} onClose={() => setAction(null)} />}
    </div>
  );
}
