import { Link } from 'react-router';
import { Moment } from '../controls/moment';
import { RunStatus } from '../run-status/run-status';
import type { RunSummary } from './flow-queries';
import { words } from './words';

/** How the newest run of a flow ended, and when it began. Empty while that is not known. */
export function LastRun({ summary }: { summary: RunSummary | undefined }) {
  if (!summary) return null;
  if (summary.lastRun === null) return <span>{words.neverRan}</span>;
  const { id, status, created } = summary.lastRun;
  return (
    <>
      <RunStatus status={status} />{' '}
      <Link to={`/runs/${id}`}>
        <Moment at={created} />
      </Link>
    </>
  );
}

/** How many runs a flow had in the last 24 hours, and how many of them failed. */
export function RunsOfDay({ summary }: { summary: RunSummary | undefined }) {
  if (!summary) return null;
  return <>{words.runsOfDay(summary.runs, summary.failed)}</>;
}
