import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { Button } from '../controls/button';
import { Empty } from '../controls/empty';
import { ExactText } from '../controls/exact-text';
import { Pager } from '../controls/pager';
import { Moment } from '../controls/moment';
import { Problem } from '../controls/problem';
import { Page } from '../shell/page';
import { inProject, useProject } from '../shell/project';
import { answerRequest, approvalsQuery, type WaitingRun } from './approval-queries';
import styles from './approvals-page.module.css';
import { words } from './words';

/** What came of the last answer. It is said above the list, because the run leaves the list. */
interface Outcome {
  words: string;
  error: Error | null;
}

/** What waits for a person. It is made for a phone as well. */
export function ApprovalsPage() {
  const { projectId } = useProject();
  const [search, setSearch] = useSearchParams();
  const [outcome, setOutcome] = useState<Outcome>({ words: '', error: null });
  const cursor = search.get('cursor') ?? undefined;
  const { data, error, refetch } = useQuery(approvalsQuery(projectId, cursor));
  return (
    <Page name={words.approvals}>
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {!data && !error && <p role="status">{words.loading}</p>}
      {outcome.error && <Problem error={outcome.error} />}
      <p role="status">{outcome.words}</p>
      {data?.data.length === 0 && (
        <Empty says={words.none}>
          <Link to={`${inProject('/runs', projectId)}&status=PAUSED`}>{words.paused}</Link>
        </Empty>
      )}
      <ul className={styles['list']}>
        {data?.data.map((run) => (
          <li key={run.id}>
            <Approval run={run} onAnswered={setOutcome} />
          </li>
        ))}
      </ul>
      <Pager>
        {cursor && <Button onClick={() => setSearch({ projectId })}>{words.newest}</Button>}
        {data?.next && <Button onClick={() => setSearch({ projectId, cursor: data.next ?? '' })}>{words.older}</Button>}
      </Pager>
    </Page>
  );
}

function Approval({ run, onAnswered }: { run: WaitingRun; onAnswered: (outcome: Outcome) => void }) {
  const queries = useQueryClient();
  const { displayName } = run.flowVersion;
  const answer = useMutation({
    mutationFn: answerRequest,
    onSuccess: () => onAnswered({ words: words.answered(displayName), error: null }),
    onError: (error) => onAnswered({ words: '', error }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['approvals'] }),
  });
  const requestId = run.waitingOn?.requestId;
  const give = (action: 'approve' | 'disapprove') =>
    requestId !== undefined && answer.mutate({ runId: run.id, requestId, action });
  return (
    <article aria-label={displayName} className={styles['approval']}>
      <h2>
        <ExactText text={displayName} />
      </h2>
      <p className={styles['facts']}>
        {words.waitsSince} {run.waitingOn && <Moment at={run.waitingOn.since} />} {whyNot(run)}
      </p>
      <div className={styles['actions']}>
        {requestId !== undefined && (
          <>
            <Button isMain disabled={answer.isPending || answer.isSuccess} onClick={() => give('approve')}>
              {words.approve}
            </Button>
            <Button disabled={answer.isPending || answer.isSuccess} onClick={() => give('disapprove')}>
              {words.disapprove}
            </Button>
          </>
        )}
        <Link to={`/runs/${run.id}`}>{words.open}</Link>
      </div>
    </article>
  );
}

/** Why the run cannot be answered here; empty when it can. */
function whyNot({ waitingOn }: WaitingRun): string {
  if (waitingOn?.kind !== 'human') return words.later;
  return waitingOn.requestId === undefined ? words.notAllowed : '';
}
