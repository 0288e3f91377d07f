import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Link } from 'react-router';
import { Button } from '../controls/button';
import { ExactText } from '../controls/exact-text';
import { LongText } from '../controls/long-text';
import { Moment } from '../controls/moment';
import { Problem } from '../controls/problem';
import { ArchiveDialog, RetryDialog } from './bulk-dialogs';
import { tryNewest, type FailureGroup } from './failure-queries';
import styles from './failures-page.module.css';
import type { PacedRetry } from './paced-retries';
import { RetryProgress } from './retry-progress';
import { Trial } from './trial';
import { words } from './words';

interface FailureCardProps {
  group: FailureGroup;
  projectId: string;
  /** The newest retry of all runs of the group, while it runs and a while after. */
  retry: PacedRetry | undefined;
  mayRetry: boolean;
}

/** Runs that failed alike: what happened, since when, and what can be done about it. */
export function FailureCard({ group, projectId, retry, mayRetry }: FailureCardProps) {
  const heading = useId();
  const [asking, setAsking] = useState<'retry' | 'archive' | null>(null);
  const [outcome, setOutcome] = useState('');
  const queries = useQueryClient();
  const trial = useMutation({ mutationFn: () => tryNewest(group, projectId) });
  const done = (words: string) => {
    setAsking(null);
    setOutcome(words);
    void queries.invalidateQueries({ queryKey: ['failures'] });
    void queries.invalidateQueries({ queryKey: ['paced-retries'] });
  };
  const close = () => setAsking(null);
  return (
    <article aria-labelledby={heading} className={styles['group']}>
      <h2 id={heading} className={styles['message']}>
        {group.message ? <LongText text={group.message} /> : words.noMessage}
      </h2>
      <p className={styles['facts']}>
        <Link to={`/flows/${group.flowId}`}>
          <ExactText text={group.flowDisplayName} />
        </Link>
        {group.stepName && (
          <span>
            › <ExactText text={group.stepDisplayName || group.stepName} />
          </span>
        )}
        <span>
          {words.firstSeen} <Moment at={group.firstSeen} />
        </span>
        <span>
          {words.lastSeen} <Moment at={group.lastSeen} />
        </span>
      </p>
      <div className={styles['actions']}>
        <Link to={`/runs/${group.lastRunId}`}>{words.openNewest}</Link>
        <Button onClick={() => trial.mutate()} disabled={trial.isPending}>
          {trial.isPending ? words.trying : words.tryOne}
        </Button>
        <Button onClick={() => setAsking('retry')}>{words.retryAll(group.count)}</Button>
        <Button onClick={() => setAsking('archive')}>{words.archiveAll(group.count)}</Button>
      </div>
      {trial.error && <Problem error={trial.error} />}
      <p role="status" className={styles['outcome']}>
        {trial.data && <Trial runId={trial.data.id} />}
        {outcome}
      </p>
      {retry && <RetryProgress retry={retry} mayStop={mayRetry} />}
      {asking === 'retry' && <RetryDialog group={group} projectId={projectId} onClose={close} onDone={done} />}
      {asking === 'archive' && <ArchiveDialog group={group} projectId={projectId} onClose={close} onDone={done} />}
    </article>
  );
}
