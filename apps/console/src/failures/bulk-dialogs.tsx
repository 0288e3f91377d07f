import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { ChoiceField } from '../controls/field';
import { Problem } from '../controls/problem';
import { archiveGroup, retryGroup, type FailureGroup, type Strategy } from './failure-queries';
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

/** Asks how all runs of the group are retried, and says how many there are before it is done. */
export function RetryDialog({ group, projectId, onClose, onDone }: BulkDialogProps) {
  const [strategy, setStrategy] = useState<Strategy>('ON_LATEST_VERSION');
  const plan = useQuery({
    queryKey: ['failures', 'retry-plan', projectId, group.flowId, group.stepName, group.fingerprint, strategy],
    queryFn: () => retryGroup(group, projectId, { strategy, dryRun: true }),
    staleTime: 0,
  });
  const retry = useMutation({
    mutationFn: () => retryGroup(group, projectId, { strategy, dryRun: false }),
    onSuccess: (count) => onDone(words.retried(count)),
  });
  return (
    <Dialog title={words.retryTitle} isOpen onClose={onClose}>
      <ChoiceField
        label={words.how}
        value={strategy}
        choices={STRATEGIES}
        onChoose={(value) => setStrategy(value as Strategy)}
      />
      <Plan count={plan.data} error={plan.error ?? retry.error} say={words.plan} />
      <Actions count={plan.data} isBusy={retry.isPending} say={words.retry} onClose={onClose} onAct={retry.mutate} />
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
