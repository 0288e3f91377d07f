import { useState } from 'react';
import { Button } from '../controls/button';
import { Problem } from '../controls/problem';
import { useProject } from '../shell/project';
import type { BulkAction } from './dialog-words';
import { saveFlows } from './export-flows';
import type { FlowSummary } from './flow-queries';
import styles from './flows-page.module.css';
import { words } from './words';

interface SelectionBarProps {
  flows: readonly FlowSummary[];
  onAct: (action: BulkAction) => void;
  onUnselect: () => void;
}

/** What can be done with the flows that are selected. */
export function SelectionBar({ flows, onAct, onUnselect }: SelectionBarProps) {
  const { may } = useProject();
  const [failure, setFailure] = useState<unknown>(null);
  const actions: BulkAction[] = may('WRITE_FLOW') ? ['enable', 'disable', 'move', 'delete'] : ['enable', 'disable'];
  return (
    <div role="region" aria-label={words.selection} className={styles['selectionBar']}>
      <p role="status">{words.selected(flows.length)}</p>
      {actions.map((action) => (
        <Button key={action} onClick={() => onAct(action)}>
          {words.bulk[action]}
        </Button>
      ))}
      <Button onClick={() => void saveFlows(flows).catch(setFailure)}>{words.export}</Button>
      <Button onClick={onUnselect}>{words.unselect}</Button>
      {failure !== null && <Problem error={failure} />}
    </div>
  );
}
