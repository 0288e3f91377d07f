import { useState } from 'react';
import { Button } from '../controls/button';
import { Problem } from '../controls/problem';
import { Status } from '../controls/status';
import { useProject } from '../shell/project';
import type { Draft } from './draft';
import type { DraftStore } from './draft-store';
import styles from './flow-editor.module.css';
import { changeStatus } from './flow-requests';
import { words } from './words';

interface FlowStatusProps {
  draft: Draft;
  store: DraftStore;
}

/** Whether the flow starts runs, whether what is shown is what runs, and what lets it run or not. */
export function FlowStatus({ draft, store }: FlowStatusProps) {
  const { flow } = draft.saved;
  const isPublished = flow.publishedVersionId !== null;
  const isEnabled = flow.status === 'ENABLED';
  return (
    <>
      {isEnabled ? (
        <Status tone="good" word={words.enabled} />
      ) : (
        <Status tone="idle" word={isPublished ? words.disabled : words.draft} />
      )}
      {isPublished && <StatusButton {...{ draft, store, isEnabled }} />}
      {isPublished && flow.version.state === 'DRAFT' && (
        <span className={styles['unpublished']} title={words.unpublished}>
          <Status tone="waits" word={words.unpublished} />
        </span>
      )}
    </>
  );
}

/** Enables or disables what is published. The draft stays as it is. */
function StatusButton({ draft, store, isEnabled }: FlowStatusProps & { isEnabled: boolean }) {
  const { mayIn } = useProject();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const { id, projectId } = draft.saved.flow;
  const change = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await store.replace((etag) => changeStatus(id, etag, isEnabled ? 'DISABLED' : 'ENABLED'));
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  if (!mayIn(projectId, 'UPDATE_FLOW_STATUS')) return null;
  return (
    <>
      <Button
        className={styles['quietButton']}
        disabled={isBusy || draft.queue.length > 0}
        onClick={() => void change()}
      >
        {isEnabled ? words.disable : words.enable}
      </Button>
      {failure !== null && (
        <div className={styles['refusal']}>
          <Problem error={failure} />
        </div>
      )}
    </>
  );
}
