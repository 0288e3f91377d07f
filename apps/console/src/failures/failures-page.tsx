import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { Empty } from '../controls/empty';
import { ChoiceField } from '../controls/field';
import { Problem } from '../controls/problem';
import { Page } from '../shell/page';
import { inProject, useProject } from '../shell/project';
import { FailureCard } from './failure-card';
import { failuresQuery, isPeriod, type FailureGroup } from './failure-queries';
import styles from './failures-page.module.css';
import { isOf, isRunning, pacedRetriesQuery, type PacedRetry } from './paced-retries';
import { RetryProgress } from './retry-progress';
import { words } from './words';

const PERIOD_CHOICES = [
  { value: '1h', label: words.lastHour },
  { value: '24h', label: words.lastDay },
  { value: '7d', label: words.lastWeek },
  { value: '30d', label: words.lastMonth },
];

/** The failed runs of a project by what went wrong, so that all that failed alike are mended at once. */
export function FailuresPage() {
  const { projectId, may } = useProject();
  const [search, setSearch] = useSearchParams();
  const asked = search.get('since');
  const period = isPeriod(asked) ? asked : '7d';
  const { data, error, refetch } = useQuery(failuresQuery(projectId, period));
  const { data: retries = [] } = useQuery(pacedRetriesQuery(projectId));
  const choose = (since: string) =>
    setSearch((before) => new URLSearchParams({ ...Object.fromEntries(before), since }));
  return (
    <Page
      name={words.failures}
      actions={
        <ChoiceField label={words.since} isLabelHidden value={period} choices={PERIOD_CHOICES} onChoose={choose} />
      }
    >
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {!data && !error && <p role="status">{words.loading}</p>}
      {data && <Groups groups={data.data} retries={retries} projectId={projectId} mayRetry={may('WRITE_RUN')} />}
    </Page>
  );
}

interface GroupsProps {
  groups: readonly FailureGroup[];
  /** Newest first. */
  retries: readonly PacedRetry[];
  projectId: string;
  mayRetry: boolean;
}

function Groups({ groups, retries, projectId, mayRetry }: GroupsProps) {
  const others = retries.filter((retry) => isRunning(retry) && !groups.some((group) => isOf(retry, group)));
  return (
    <>
      {others.map((retry) => (
        <RetryProgress key={retry.id} retry={retry} mayStop={mayRetry} />
      ))}
      {groups.length === 0 ? (
        <Empty says={words.none}>
          <Link to={inProject('/runs', projectId)}>{words.allRuns}</Link>
        </Empty>
      ) : (
        <Cards {...{ groups, retries, projectId, mayRetry }} />
      )}
    </>
  );
}

function Cards({ groups, retries, projectId, mayRetry }: GroupsProps) {
  const runs = groups.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <p>{words.summary(groups.length, runs)}</p>
      <div className={styles['groups']}>
        {groups.map((group) => (
          <FailureCard
            key={`${group.flowId} ${group.stepName} ${group.fingerprint}`}
            group={group}
            projectId={projectId}
            retry={retries.find((retry) => isOf(retry, group))}
            mayRetry={mayRetry}
          />
        ))}
      </div>
    </>
  );
}
