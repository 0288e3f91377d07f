import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { installationQuery } from '../api/installation';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { TextField } from '../controls/field';
import { Problem } from '../controls/problem';
import { Status } from '../controls/status';
import type { DraftStore } from './draft-store';
import type { Definition } from './definition';
import styles from './flow-editor.module.css';
import { PublishPlan } from './publish-plan';
import { checkQuery, publish, type Problem as FlowProblem } from './publish-requests';
import { findStep } from './step-tree';
import { words } from './panel-words';

/** The service takes no more. */
const MOST_LETTERS_OF_NOTE = 1_000;

interface PublishDialogProps {
  flow: Definition;
  store: DraftStore;
  /** Whether the service has all that was typed. It is checked and published then. */
  isSaved: boolean;
  onSelect: (stepName: string) => void;
  onClose: () => void;
}

/** Shows what the check of the service finds and what changes in what runs, publishes, and says then how the flow is started. */
export function PublishDialog({ flow, store, isSaved, onSelect, onClose }: PublishDialogProps) {
  const { id } = store.current().saved.flow;
  const check = useQuery({ ...checkQuery(id), enabled: isSaved });
  const [failure, setFailure] = useState<unknown>(null);
  const [note, setNote] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [isPublished, setPublished] = useState(false);
  const start = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await store.replace((etag) => publish(id, etag, note));
      setPublished(true);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  if (isPublished) return <PublishedDialog flow={flow} flowId={id} onClose={onClose} />;
  return (
    <Dialog title={words.publish} isOpen onClose={onClose}>
      {check.isPending && <p role="status">{words.checking}</p>}
      {check.error && <Problem error={check.error} onTryAgain={() => void check.refetch()} />}
      {check.data && <p>{check.data.valid ? words.canPublish : words.cannotPublish}</p>}
      {check.data && <Problems flow={flow} problems={check.data.problems} onSelect={onSelect} />}
      <TextField
        label={words.publishNote}
        maxLength={MOST_LETTERS_OF_NOTE}
        value={note}
        onChange={({ target }) => setNote(target.value)}
      />
      {isSaved && <PublishPlan flow={store.current().saved.flow} />}
      {failure !== null && <Problem error={failure} />}
      <DialogActions>
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button isMain disabled={isBusy || !isSaved || !check.data?.valid} onClick={() => void start()}>
          {isBusy ? words.publishing : words.publish}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

interface ProblemsProps {
  flow: Definition;
  problems: readonly FlowProblem[];
  onSelect: (stepName: string) => void;
}

const Problems = ({ flow, problems, onSelect }: ProblemsProps) => (
  <ul className={styles['problems']}>
    {problems.map(({ stepName, severity, message }) => (
      <li key={`${stepName} ${message}`}>
        <Status tone={severity === 'error' ? 'bad' : 'waits'} word={words.severities[severity]} />
        <span>{message}</span>
        <Button onClick={() => onSelect(stepName)}>{findStep(flow.trigger, stepName)?.displayName ?? stepName}</Button>
      </li>
    ))}
  </ul>
);

function PublishedDialog({ flow, flowId, onClose }: { flow: Definition; flowId: string; onClose: () => void }) {
  const { data } = useQuery(installationQuery);
  const isWebhook = flow.trigger.settings['pieceName'] === 'webhook';
  const address = data && `${data.publicUrl}/api/v1/webhooks/${flowId}`;
  return (
    <Dialog title={words.published} isOpen onClose={onClose}>
      <p role="status">{words.publishedSays}</p>
      {isWebhook && address && (
        <div>
          <p>{words.webhookAddress}</p>
          <code className={styles['address']}>{address}</code>
        </div>
      )}
      <DialogActions>
        {isWebhook && address && (
          <Button onClick={() => void navigator.clipboard.writeText(address)}>{words.copyAddress}</Button>
        )}
        <Button isMain onClick={onClose}>
          {words.close}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
