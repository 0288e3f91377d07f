import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { ApiError } from '../../api/api-error';
import { ExactText } from '../../controls/exact-text';
import { Problem } from '../../controls/problem';
import type { Run } from '../../run-status/run-words';
import { NotFoundPage } from '../../shell/not-found-page';
import { Page } from '../../shell/page';
import { VersionDifferences } from '../../version-diff/version-differences';
import { runVersionQuery } from '../run-queries';
import { runDiffQuery, type RunDiff } from './compare-queries';
import styles from './compare-page.module.css';
import { ComparedRuns } from './compared-runs';
import { comparedField, isSame } from './difference-words';
import { FieldPair, StepDifferences } from './step-differences';
import { words } from './words';

/** Two runs beside each other: what each was given, and what their steps did otherwise. */
export function ComparePage() {
  const { id = '', other = '' } = useParams();
  const { data, error, refetch } = useQuery(runDiffQuery(id, other));
  if (error instanceof ApiError && error.status === 404) return <NotFoundPage />;
  return (
    <Page name={words.compareRuns}>
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {data ? <Compared key={`${id} ${other}`} diff={data} /> : !error && <p role="status">{words.comparing}</p>}
    </Page>
  );
}

function Compared({ diff }: { diff: RunDiff }) {
  const [left, right] = diff.runs as [Run, Run];
  const nameOf = useStepNames(left, right);
  return (
    <>
      <nav aria-label={words.way} className={styles['way']}>
        <Link to={`/runs?${new URLSearchParams({ projectId: left.projectId }).toString()}`}>{words.runs}</Link>
        <span aria-hidden="true">›</span>
        <Link to={`/flows/${left.flowId}`}>
          <ExactText text={left.flowVersion.displayName} />
        </Link>
        <span aria-hidden="true">›</span>
        <Link to={`/runs/${left.id}`}>{left.id}</Link>
      </nav>
      <ComparedRuns {...{ left, right }} />
      <OtherVersions {...{ left, right }} />
      {diff.trigger && (
        <section aria-label={words.input} className={styles['part']}>
          <h2>{words.input}</h2>
          <FieldPair {...comparedField(null, diff.trigger)} />
        </section>
      )}
      <section aria-label={words.differences} className={styles['part']}>
        <h2>{words.differences}</h2>
        <p role="status">{isSame(diff) ? words.same : words.sameSteps(diff.same)}</p>
        <StepDifferences {...{ diff, nameOf }} />
        {diff.more > 0 && <p>{words.more(diff.more)}</p>}
      </section>
    </>
  );
}

/** The names that people gave the steps: in the version of the right run, or else of the left. */
function useStepNames(left: Run, right: Run): (step: string) => string {
  const { data: of } = useQuery(runVersionQuery(left.flowId, left.flowVersionId));
  const { data: now } = useQuery(runVersionQuery(right.flowId, right.flowVersionId));
  const names = new Map(
    [...(of?.steps ?? []), ...(now?.steps ?? [])].map(({ name, displayName }) => [name, displayName]),
  );
  return (step) => names.get(step) ?? step;
}

/** Says that the runs executed other steps, and which when asked. */
function OtherVersions({ left, right }: { left: Run; right: Run }) {
  if (left.flowVersionId === right.flowVersionId) return null;
  if (left.flowId !== right.flowId) return <p>{words.otherFlows}</p>;
  return (
    <div>
      <p>{words.otherVersions}</p>
      <details className={styles['versions']}>
        <summary>{words.showVersions}</summary>
        <VersionDifferences flowId={left.flowId} from={left.flowVersionId} to={right.flowVersionId} />
      </details>
    </div>
  );
}
