import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '../controls/button';
import { Problem } from '../controls/problem';
import styles from './failures-page.module.css';
import { cancelPacedRetry, isRunning, type PacedRetry } from './paced-retries';
import { words } from './words';

/** How far a retry of many runs has come, and how it is stopped. */
export function RetryProgress({ retry, mayStop }: { retry: PacedRetry; mayStop: boolean }) {
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => cancelPacedRetry(retry.id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['paced-retries'] }),
  });
  const done = retry.started + retry.skipped;
  return (
    <div className={styles['progress']}>
      <progress aria-label={words.progress} max={Math.max(retry.total, done, 1)} value={done} />
      <span role="status">{words.progressOf(retry)}</span>
      {isRunning(retry) && mayStop && (
        <Button onClick={() => cancel.mutate()} disabled={cancel.isPending}>
          {words.stopRetrying}
        </Button>
      )}
      {cancel.error && <Problem error={cancel.error} />}
    </div>
  );
}
