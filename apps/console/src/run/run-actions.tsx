import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { Problem } from '../controls/problem';
import { isUnfinished } from '../run-status/run-words';
import { useProject } from '../shell/project';
import { CompareButton } from './compare/compare-button';
import { RadioGroup } from '../controls/radio-group';
import { RerunButton } from './rerun-dialog';
import styles from './run-page.module.css';
import {
  cancelPlanQuery,
  cancelRun,
  retryRun,
  runQuery,
  takeAsSamples,
  type RunDetail,
  type RunVersion,
  type Strategy,
} from './run-queries';
import { words } from './words';

const STRATEGIES: readonly Strategy[] = ['FROM_FAILED_STEP', 'ON_LATEST_VERSION'];

/** What can be done with the run: stopped while it goes on, done again when it has ended. */
export function RunActions({ run, version }: { run: RunDetail; version?: RunVersion }) {
  const [open, setOpen] = useState<'retry' | 'cancel' | null>(null);
  const close = () => setOpen(null);
  return (
    <div className={styles['buttons']}>
      <CompareButton run={run} />
      <OpenInEditor run={run} />
      {isUnfinished(run) ? (
        <Button onClick={() => setOpen('cancel')}>{words.cancelRun}</Button>
      ) : (
        <>
          <RerunButton run={run} version={version} from={null} />
          <Button isMain={run.status !== 'SUCCEEDED'} onClick={() => setOpen('retry')}>
            {words.retry}
          </Button>
        </>
      )}
      {open === 'retry' && <RetryDialog run={run} onClose={close} />}
      {open === 'cancel' && <CancelDialog run={run} onClose={close} />}
    </div>
  );
}

/** Takes the run's data into the editor, which shows the run on its canvas. */
function OpenInEditor({ run }: { run: RunDetail }) {
  const { mayIn } = useProject();
  const navigate = useNavigate();
  const take = useMutation({
    mutationFn: () => takeAsSamples(run),
    onSuccess: () => navigate(`/flows/${run.flowId}?testRun=${run.id}`),
    gcTime: 0,
  });
  if (isUnfinished(run) || !mayIn(run.projectId, 'WRITE_FLOW')) return null;
  return (
    <>
      <Button disabled={take.isPending} onClick={() => take.mutate()}>
        {words.openInEditor}
      </Button>
      {take.error && <Problem error={take.error} />}
    </>
  );
}

interface RunDialogProps {
  run: RunDetail;
  onClose: () => void;
}

function RetryDialog({ run, onClose }: RunDialogProps) {
  const navigate = useNavigate();
  const [strategy, setStrategy] = useState<Strategy>('FROM_FAILED_STEP');
  const retry = useMutation({
    mutationFn: () => retryRun(run, strategy),
    onSuccess: ({ id }) => navigate(`/runs/${id}`),
  });
  return (
    <Dialog title={words.retryRun} isOpen onClose={onClose}>
      <RadioGroup
        name={words.strategy}
        choices={STRATEGIES.map((value) => ({ value, label: words.strategies[value] }))}
        chosen={strategy}
        onChoose={setStrategy}
      />
      <p>{words.retryText}</p>
      {retry.error && <Problem error={retry.error} />}
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        <Button isMain disabled={retry.isPending} onClick={() => retry.mutate()}>
          {words.retry}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function CancelDialog({ run, onClose }: RunDialogProps) {
  const queryClient = useQueryClient();
  const plan = useQuery(cancelPlanQuery(run));
  const cancel = useMutation({
    mutationFn: () => cancelRun(run),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: runQuery(run.id).queryKey, exact: true });
      onClose();
    },
  });
  const error = cancel.error ?? plan.error;
  return (
    <Dialog title={words.cancelRun} isOpen onClose={onClose}>
      <p role="status">{plan.data ? words.cancelText(plan.data.cancelled) : words.counting}</p>
      {error && <Problem error={error} />}
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        <Button isMain disabled={!plan.data?.cancelled || cancel.isPending} onClick={() => cancel.mutate()}>
          {words.cancelRun}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
