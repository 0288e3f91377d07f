import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { Button } from '../controls/button';
import { Empty } from '../controls/empty';
import { ExactText } from '../controls/exact-text';
import { LongText } from '../controls/long-text';
import { Pager } from '../controls/pager';
import { Moment } from '../controls/moment';
import { Problem } from '../controls/problem';
import { JsonView } from '../json-view/json-view';
import { Page } from '../shell/page';
import { inProject, useProject } from '../shell/project';
import { answerRequest, approvalsQuery, startQuery, type WaitingRun } from './approval-queries';
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
  const { displayName } = run.flowVersion;
  const { request, requestId, since } = run.waitingOn ?? {};
  return (
    <article aria-label={displayName} className={styles['approval']}>
      <h2>
        <ExactText text={displayName} />
      </h2>
      {request && (
        <p>
          <ExactText text={words.asks(request.stepDisplayName ?? request.stepPath)} />
        </p>
      )}
      {request?.message !== undefined && (
        <p className={styles['message']}>
          <LongText text={request.message} />
        </p>
      )}
      <p className={styles['facts']}>
        {words.waitsSince} {since !== undefined && <Moment at={since} />} {whyNot(run)}
      </p>
      <Start run={run} />
      <div className={styles['actions']}>
        {requestId !== undefined && <Answers {...{ run, requestId, onAnswered }} />}
        <Link to={`/runs/${run.id}`}>{words.open}</Link>
      </div>
    </article>
  );
}

interface AnswersProps {
  run: WaitingRun;
  requestId: string;
  onAnswered: (outcome: Outcome) => void;
}

/** What the person can answer. A form has a page of its own, which the link in a mail leads to as well. */
function Answers({ run, requestId, onAnswered }: AnswersProps) {
  const queries = useQueryClient();
  const answer = useMutation({
    mutationFn: answerRequest,
    onSuccess: () => onAnswered({ words: words.answered(run.flowVersion.displayName), error: null }),
    onError: (error) => onAnswered({ words: '', error }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['approvals'] }),
  });
  const kind = run.waitingOn?.request?.kind ?? 'approval';
  if (kind === 'form')
    return (
      <a href={`/api/v1/flow-runs/${run.id}/requests/${requestId}`} target="_blank" rel="noreferrer">
        {words.fillIn}
      </a>
    );
  if (kind === 'webhook') return <span>{words.forProgram}</span>;
  const isOver = answer.isPending || answer.isSuccess;
  const give = (action: 'approve' | 'disapprove') => answer.mutate({ runId: run.id, requestId, action });
  return (
    <>
      <Button isMain disabled={isOver} onClick={() => give('approve')}>
        {words.approve}
      </Button>
      <Button disabled={isOver} onClick={() => give('disapprove')}>
        {words.disapprove}
      </Button>
    </>
  );
}

/** What the run was started with. It is read when somebody wants to see it. */
function Start({ run }: { run: WaitingRun }) {
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useQuery({ ...startQuery(run), enabled: isOpen });
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words.startedWith}</summary>
      {error && <Problem error={error} />}
      {isOpen && !data && !error && <p role="status">{words.loading}</p>}
      {data?.outputFile && <p>{words.startIsLarge}</p>}
      {data && !data.outputFile && <JsonView name={words.startedWith} value={data.output} />}
    </details>
  );
}

/** Why the run cannot be answered here; empty when it can. */
function whyNot({ waitingOn }: WaitingRun): string {
  if (waitingOn?.kind !== 'human') return words.later;
  return waitingOn.requestId === undefined ? words.notAllowed : '';
}
