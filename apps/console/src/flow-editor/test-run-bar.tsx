import { Cross2Icon } from '@radix-ui/react-icons';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Button } from '../controls/button';
import { Problem } from '../controls/problem';
import { durationWords } from '../controls/time-words';
import { RunStatus } from '../run-status/run-status';
import { runDuration } from '../run-status/run-words';
import styles from './flow-editor.module.css';
import type { TestRun } from './flow-requests';
import { takeSamples } from './test-requests';
import { words } from './panel-words';

interface TestRunBarProps {
  run: TestRun | undefined;
  error: Error | null;
  onClose: () => void;
}

/** How the test goes that is shown on the canvas. */
export function TestRunBar({ run, error, onClose }: TestRunBarProps) {
  const duration = run && runDuration(run, Date.now());
  const take = useMutation({ mutationFn: ({ flowId, id }: TestRun) => takeSamples(flowId, id), gcTime: 0 });
  return (
    <div className={styles['testRun']}>
      <b>{words.testRun}</b>
      <span role="status" className={styles['testStatus']}>
        {run && <RunStatus status={run.status} />}
        {run?.finishTime && typeof duration === 'number' && ` ${words.in(durationWords(duration))}`}
        {run?.failedStep && ` ${run.failedStep.displayName}: ${run.failedStep.message}`}
        {!run?.failedStep && run?.statusReason}
      </span>
      {error && <Problem error={error} />}
      {take.error && <Problem error={take.error} />}
      {run?.finishTime && (
        <Button disabled={take.isPending} onClick={() => take.mutate(run)}>
          {words.useAsSamples}
        </Button>
      )}
      <span role="status">{take.data && words.usedAsSamples(take.data.stepNames.length)}</span>
      {run && <Link to={`/runs/${run.id}`}>{words.openRun}</Link>}
      <span className={styles['space']} />
      <Button className={styles['bare']} aria-label={words.closeTest} title={words.closeTest} onClick={onClose}>
        <Cross2Icon aria-hidden />
      </Button>
    </div>
  );
}
