import { useNavigate, Link } from 'react-router';
import { Button } from '../../controls/button';
import { Moment } from '../../controls/moment';
import { durationWords } from '../../controls/time-words';
import { RunStatus } from '../../run-status/run-status';
import { reasonWords, runDuration, triggerWords, type Run } from '../../run-status/run-words';
import { ExactText } from '../../controls/exact-text';
import { words as runWords } from '../words';
import styles from './compare-page.module.css';
import { words } from './words';

interface ComparedRunsProps {
  left: Run;
  right: Run;
}

export function ComparedRuns({ left, right }: ComparedRunsProps) {
  const navigate = useNavigate();
  return (
    <>
      <div className={styles['pair']}>
        <RunSummary name={words.left} run={left} />
        <RunSummary name={words.right} run={right} />
      </div>
      <div>
        <Button onClick={() => navigate(`/runs/${right.id}/compare/${left.id}`, { replace: true })}>
          {words.swap}
        </Button>
      </div>
    </>
  );
}

function RunSummary({ name, run }: { name: string; run: Run }) {
  const duration = runDuration(run, Date.now());
  const reason = reasonWords(run, Date.now());
  return (
    <section aria-label={name} className={styles['run']}>
      <h2>
        <Link to={`/runs/${run.id}`}>{run.id}</Link>
      </h2>
      <p>
        <RunStatus status={run.status} /> {duration !== null && runWords.after(durationWords(duration))}
      </p>
      <p className={styles['quiet']}>
        <Moment at={run.created} />, <ExactText text={runWords.startedBy(triggerWords(run))} />
      </p>
      {reason !== '' && (
        <p className={styles['reason']}>
          <ExactText text={reason} />
        </p>
      )}
    </section>
  );
}
