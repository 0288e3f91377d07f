import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Moment } from '../controls/moment';
import { RunStatus } from '../run-status/run-status';
import styles from './run-page.module.css';
import { relatedRunsQuery, relatedTo, type Relation, type RunDetail } from './run-queries';
import { words } from './words';

/** Links to the runs from which this one came, and to those that came from it. */
export function Relatives({ run }: { run: RunDetail }) {
  const { parentRunId, retryOfRunId } = run;
  return (
    <ul className={styles['facts']}>
      {parentRunId !== null && (
        <li>
          {words.parent} <Link to={`/runs/${parentRunId}`}>{parentRunId}</Link>
        </li>
      )}
      {retryOfRunId !== null && (
        <li>
          {words.retryOf} <Link to={`/runs/${retryOfRunId}`}>{retryOfRunId}</Link>
        </li>
      )}
      <RelatedRuns run={run} relation="retryOfRunId" name={words.retriedAs} />
      <RelatedRuns run={run} relation="parentRunId" name={words.children} />
    </ul>
  );
}

interface RelatedRunsProps {
  run: RunDetail;
  relation: Relation;
  name: string;
}

/** The newest of the runs, and a way to the list of all. There may be none, as of most runs. */
function RelatedRuns({ run, relation, name }: RelatedRunsProps) {
  const { data } = useQuery(relatedRunsQuery(run, relation));
  if (!data || data.data.length === 0) return null;
  const { includeArchived, ...filters } = relatedTo(run, relation);
  const all = new URLSearchParams({ ...filters, includeArchived: String(includeArchived) });
  return (
    <li className={styles['related']}>
      {name}
      {data.data.map(({ id, created, status }) => (
        <span key={id}>
          <Link to={`/runs/${id}`}>
            <Moment at={created} />
          </Link>{' '}
          <RunStatus status={status} />
        </span>
      ))}
      {data.next !== null && <Link to={`/runs?${all.toString()}`}>{words.allOfThem}</Link>}
    </li>
  );
}
