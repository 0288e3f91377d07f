import { ApiError } from '../api/api-error';
import { Button } from './button';
import { ExactText } from './exact-text';
import styles from './controls.module.css';
import { words } from './words';

interface ProblemProps {
  error: unknown;
  /** What to do once more, where that may help. */
  onTryAgain?: () => void;
}

/** Says why something failed, and by which id the log of the service names it. */
export function Problem({ error, onTryAgain }: ProblemProps) {
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <div role="alert" className={styles['problem']}>
      <p>
        <ExactText text={error instanceof Error ? error.message : String(error)} />
      </p>
      {requestId !== null && (
        <p className={styles['quiet']}>
          {words.request} <code>{requestId}</code>
        </p>
      )}
      {onTryAgain && (
        <div>
          <Button onClick={onTryAgain}>{words.tryAgain}</Button>
        </div>
      )}
    </div>
  );
}
