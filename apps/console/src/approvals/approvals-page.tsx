import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { Button } from '../controls/button';
import { Moment } from '../controls/moment';
import { Problem } from '../controls/problem';
import { Page } from '../shell/page';
import { useProject } from '../shell/project';
import { answerRequest, approvalsQuery, type WaitingRun } from './approval-queries';
import styles from './approvals-page.module.css';
import { words } from './words';

/** What waits for a person. It is made for a phone as well. */
export function ApprovalsPage() {
  const { projectId } = useProject();
  const [search, setSearch] = useSearchParams();
  const cursor = search.get('cursor') ?? undefined;
  const { data, error, refetch } = useQuery(approvalsQuery(projectId, cursor));
  return (
    <Page name={words.approvals}>
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {!data && !error && <p role="status">{words.loading}</p>}
      {data?.data.length === 0 && <p>{words.none}</p>}
      <ul className={styles['list']}>
        {data?.data.map((run) => (
          <li key={run.id}>
            <Approval run={run} />
          </li>
        ))}
      </ul>
      <div className={styles['pager']}>
        {cursor && <Button onClick={() => setSearch({ projectId })}>{words.newest}</Button>}
        {data?.next && <Button onClick={() => setSearch({ projectId, cursor: data.next ?? '' })}>{words.older}</Button>}
      </div>
    </Page>
  );
}

function Approval({ run }: { run: WaitingRun }) {
  const queries = useQueryClient();
  const answer = useMutation({
    mutationFn: answerRequest,
    onSettled: () => queries.invalidateQueries({ queryKey: ['approvals'] }),
  });
  const { displayName } = run.flowVersion;
  const requestId = run.waitingOn?.requestId;
  const give = (action: 'approve' | 'disapprove') =>
    requestId !== undefined && answer.mutate({ runId: run.id, requestId, action });
  return (
    <article aria-label={displayName} className={styles['approval']}>
      <h2>{displayName}</h2>
      <p className={styles['facts']}>
        {words.waitsSince} {run.waitingOn && <Moment at={run.waitingOn.since} />}
      </p>
      {answer.error && <Problem error={answer.error} />}
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
      <p role="status">{answer.isSuccess ? words.answered(displayName) : whyNot(run)}</p>
    </article>
  );
}

/** Why the run cannot be answered here; empty when it can. */
function whyNot({ waitingOn }: WaitingRun): string {
  if (waitingOn?.kind !== 'human') return words.later;
  return waitingOn.requestId === undefined ? words.notAllowed : '';
}
