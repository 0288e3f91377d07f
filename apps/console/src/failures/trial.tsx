import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { RunStatus } from '../run-status/run-status';
import { trialQuery } from './failure-queries';
import { words } from './words';

/** The retry that was tried, and how it went. */
export function Trial({ runId }: { runId: string }) {
  const { data } = useQuery(trialQuery(runId));
  return (
    <>
      {words.tried} <Link to={`/runs/${runId}`}>{runId}</Link> {data && <RunStatus status={data.status} />}
    </>
  );
}
