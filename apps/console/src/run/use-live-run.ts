import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useRoom } from '../api/live';
import { runRoom } from '../api/live-connection';
import { usePaced } from '../api/use-paced';
import { isUnfinished } from '../run-status/run-words';
import { runQuery } from './run-queries';

/** A large run takes long to read, and is read less often. */
const PACE = { leastMs: 300, mostMs: 10_000 };

/** The run, read again when one of its steps begins or ends while it goes on. Without a connection it is asked for. */
export function useLiveRun(id: string) {
  const [isHeard, setHeard] = useState(false);
  const { data: run, error, refetch } = useQuery(runQuery(id, isHeard));
  const signal = usePaced(refetch, PACE);
  const room = run && isUnfinished(run) ? runRoom(id) : null;
  const isLive = useRoom(run?.projectId ?? '', room, { entered: signal, run: signal, step: signal });
  if (isLive !== isHeard) setHeard(isLive);
  return { run, error, refetch };
}
