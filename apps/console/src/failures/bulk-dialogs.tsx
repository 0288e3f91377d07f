import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { ChoiceField, TextField } from '../controls/field';
import { Problem } from '../controls/problem';
import { archiveGroup, countRetries, retryGroup, type FailureGroup, type Strategy } from './failure-queries';
import styles from './failures-page.module.css';
import { MOST_FAILURES, MOST_PER_SECOND, paceOf, type Pace } from './pace';
import { words } from './words';

interface BulkDialogProps {
  group: FailureGroup;
  projectId: string;
  onClose: () => void;
  /** Is called with what was done, in words. */
  onDone: (words: string) => void;
}

const STRATEGIES: { value: Strategy; label: string }[] = [
  { value: 'ON_LATEST_VERSION', label: words.onLatestVersion },
  { value: 'FROM_FAILED_STEP', label: words.fromFailedStep },
];

/** Asks how, how fast and until when all runs of the group are retried, and says how many there are. */
export function RetryDialog({ group, projectId, onClose, onDone }: BulkDialogProps) {
  const [strategy, setStrategy] = useState<Strategy>('ON_LATEST_VERSION');
  const [perSecond, setPerSecond] = useState('20');
  const [failures, setFailures] = useState('3');
  const pace = paceOf(perSecond, failures);
  const plan = useQuery({
    queryKey: ['failures', 'retry-plan', projectId, group.flowId, group.stepName, group.fingerprint, strategy],
    queryFn: () => countRetries(group, projectId, strategy),
    staleTime: 0,
  });
  const retry = useMutation({
    mutationFn: (chosen: Pace) => retryGroup(group, projectId, { strategy, ...chosen }),
    onSuccess: () => onDone(''),
  });
  const number = { type: 'number', min: 1, step: 1 };
  return (
    <Dialog title={words.retryTitle} isOpen onClose={onClose}>
      <ChoiceField
        label={words.how}
        value={strategy}
        choices={STRATEGIES}
        onChoose={(value) => setStrategy(value as Strategy)}
      />
      <div className={styles['pace']}>
        <TextField
          {...number}
          label={words.perSecond}
          max={MOST_PER_SECOND}
          value={perSecond}
          onChange={({ target }) => setPerSecond(target.value)}
        />
        <TextField
          {...number}
          label={words.stopAfter}
          placeholder={words.never}
          max={MOST_FAILURES}
          value={failures}
          onChange={({ target }) => setFailures(target.value)}
        />
      </div>
      <Plan count={plan.data} error={plan.error ?? retry.error} say={words.plan} />
      <Actions
        count={plan.data}
        isBusy={retry.isPending || pace === null}
        say={words.retry}
        onClose={onClose}
        onAct={() => pace && retry.mutate(pace)}
      />
    </Dialog>
  );
}

/** Says how many runs are archived before it is done. */
export function ArchiveDialog({ group, projectId, onClose, onDone }: BulkDialogProps) {
  const plan = useQuery({
    queryKey: ['failures', 'archive-plan', projectId, group.flowId, group.stepName, group.fingerprint],
    queryFn: () => archiveGroup(group, projectId, true),
    staleTime: 0,
  });
  const archive = useMutation({
    mutationFn: () => archiveGroup(group, projectId, false),
    onSuccess: (count) => onDone(words.archived(count)),
  });
  return (
    <Dialog title={words.archiveTitle} isOpen onClose={onClose}>
      <Plan count={plan.data} error={plan.error ?? archive.error} say={words.archivePlan} />
      <Actions
        count={plan.data}
        isBusy={archive.isPending}
        say={words.archive}
        onClose={onClose}
        onAct={archive.mutate}
      />
    </Dialog>
  );
}

interface PlanProps {
  count: number | undefined;
  error: Error | null;
  say: (runs: number) => string;
}

function Plan({ count, error, say }: PlanProps) {
  if (error) return <Problem error={error} />;
  return <p role="status">{count === undefined ? words.counting : say(count)}</p>;
}

interface ActionsProps {
  count: number | undefined;
  isBusy: boolean;
  say: (runs: number) => string;
  onClose: () => void;
  onAct: () => void;
}

const Actions = ({ count, isBusy, say, onClose, onAct }: ActionsProps) => (
  <DialogActions>
    <Button onClick={onClose}>{words.cancel}</Button>
    <Button isMain disabled={!count || isBusy} onClick={() => onAct()}>
      {say(count ?? 0)}
    </Button>
  </DialogActions>
);
