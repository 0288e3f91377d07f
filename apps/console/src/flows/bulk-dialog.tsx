import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { DialogForm } from '../controls/dialog-form';
import { ExactText } from '../controls/exact-text';
import { ChoiceField } from '../controls/field';
import { Problem } from '../controls/problem';
import { bulkWords, words, type BulkAction } from './dialog-words';
import { changeStatus, deleteFlow, moveFlow, readAgain } from './flow-changes';
import styles from './flow-dialogs.module.css';
import type { FlowSummary } from './flow-queries';
import { foldersQuery } from './folder-queries';
import { words as listWords } from './words';

interface Failure {
  flow: FlowSummary;
  error: unknown;
}

interface BulkDialogProps {
  projectId: string;
  action: BulkAction;
  flows: readonly FlowSummary[];
  /** Is called with what was done, in words. */
  onDone: (said: string) => void;
  onClose: () => void;
}

const IN_NO_FOLDER = '';

/** Says what is done with which flows, does it one by one, and says of each that was refused why. */
export function BulkDialog({ projectId, action, flows, onDone, onClose }: BulkDialogProps) {
  const [folderId, setFolderId] = useState(flows[0]?.folderId ?? IN_NO_FOLDER);
  const [progress, setProgress] = useState('');
  const [failures, setFailures] = useState<readonly Failure[]>([]);
  const { title, says, verb, done } = bulkWords[action];
  const submit = async () => {
    const refused: Failure[] = [];
    for (const [index, flow] of flows.entries()) {
      setProgress(words.doing(index + 1, flows.length));
      await ACTS[action](flow, folderId || null).catch((error: unknown) => refused.push({ flow, error }));
    }
    await readAgain();
    if (refused.length === 0) onDone(done(flows.length));
    else setFailures(refused);
  };
  if (failures.length > 0) return <Failures failures={failures} all={flows.length} onClose={onClose} />;
  return (
    <Dialog title={title(flows.length)} isOpen onClose={onClose}>
      <DialogForm verb={verb(flows.length)} onSubmit={submit} onClose={onClose}>
        <Names flows={flows} />
        <p>{says}</p>
        {action === 'move' && <FolderField projectId={projectId} folderId={folderId} onChoose={setFolderId} />}
        <p role="status">{progress}</p>
      </DialogForm>
    </Dialog>
  );
}

const ACTS: Record<BulkAction, (flow: FlowSummary, folderId: string | null) => Promise<void>> = {
  enable: (flow) => changeStatus(flow, 'ENABLED'),
  disable: (flow) => changeStatus(flow, 'DISABLED'),
  move: moveFlow,
  delete: deleteFlow,
};

const MOST_NAMES = 10;

const Names = ({ flows }: { flows: readonly FlowSummary[] }) => (
  <ul className={styles['names']}>
    {flows.slice(0, MOST_NAMES).map(({ id, version }) => (
      <li key={id}>
        <ExactText text={version.displayName} />
      </li>
    ))}
    {flows.length > MOST_NAMES && <li>{words.more(flows.length - MOST_NAMES)}</li>}
  </ul>
);

interface FolderFieldProps {
  projectId: string;
  folderId: string;
  onChoose: (folderId: string) => void;
}

function FolderField({ projectId, folderId, onChoose }: FolderFieldProps) {
  const { data: folders = [] } = useQuery(foldersQuery(projectId));
  const choices = [
    { value: IN_NO_FOLDER, label: listWords.noFolder },
    ...folders.map(({ id, displayName }) => ({ value: id, label: displayName })),
  ];
  return <ChoiceField label={words.folder} value={folderId} choices={choices} onChoose={onChoose} />;
}

interface FailuresProps {
  failures: readonly Failure[];
  all: number;
  onClose: () => void;
}

const Failures = ({ failures, all, onClose }: FailuresProps) => (
  <Dialog title={listWords.notDone} isOpen onClose={onClose}>
    <p>{words.someFailed(failures.length, all)}</p>
    <ul className={styles['results']}>
      {failures.map(({ flow, error }) => (
        <li key={flow.id}>
          <h3>
            <ExactText text={flow.version.displayName} />
          </h3>
          <Problem error={error} />
        </li>
      ))}
    </ul>
    <DialogActions>
      <Button isMain onClick={onClose}>
        {words.close}
      </Button>
    </DialogActions>
  </Dialog>
);
