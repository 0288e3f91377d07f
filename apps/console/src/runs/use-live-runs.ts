import { useQuery, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useState } from 'react';
import { useRoom } from '../api/live';
import { PROJECT_ROOM } from '../api/live-connection';
import { usePaced } from '../api/use-paced';
import { isUnfinished, type Run } from '../run-status/run-words';
import { arrivalsSince, NO_ARRIVALS, heardOf, refreshed } from './live-runs';
import type { RunFilters } from './run-filters';
import { changedRunsQuery, countsQuery, histogramQuery, latestRunsQuery, runsQuery } from './run-queries';

// What the page does when it hears that runs have changed. The rows of a message are shown at once; what depends on the
// filters is asked for, however many messages there are, at a pace that neither the service nor the browser feels.

// Together these are fewer than two requests a second, and the newest run is at most two seconds old.
const AT_ONCE = { leastMs: 1_200, mostMs: 30_000 };
const SOON = { leastMs: 2_000, mostMs: 30_000 };
const RARELY = { leastMs: 4_000, mostMs: 60_000 };
const SELDOM = { leastMs: 15_000, mostMs: 60_000 };
/** How often a page asks that hears nothing. */
const POLL_MS = 3_000;
const POLL_COUNTS_MS = 5_000;
const POLL_CHART_MS = 15_000;

interface Watched {
  cursor?: string;
  /** Whether the page is kept up to date. */
  isOn: boolean;
}

/** The runs of one page, kept up to date without moving them, with how many there are. */
export function useLiveRuns(projectId: string, filters: RunFilters, { cursor, isOn }: Watched) {
  const queryClient = useQueryClient();
  const [heard, setHeard] = useState<readonly Run[]>([]);
  const onScreen = useQuery(runsQuery(projectId, filters, cursor));
  const shown = onScreen.data?.data ?? [];
  const isFirstPage = cursor === undefined && onScreen.data !== undefined && !onScreen.isPlaceholderData;
  const signal = useSignals(projectId, filters);
  const isLive = useRoom(projectId, isOn ? PROJECT_ROOM : null, {
    entered: signal,
    summary: ({ runs }) => {
      setHeard((before) => heardOf(shown, before, runs));
      signal();
    },
  });
  const every = (ms: number) => isOn && !isLive && ms;
  const mayChange = refreshed(shown, heard).some(isUnfinished);
  const latest = useQuery(latestRunsQuery(projectId, filters, isOn && isFirstPage, every(POLL_MS)));
  const changed = useQuery(changedRunsQuery(projectId, unfinishedOf(shown), isOn && mayChange, every(POLL_MS)));
  const news: readonly Run[] = [...(latest.data?.data ?? []), ...(changed.data?.data ?? []), ...heard];
  return {
    runs: onScreen.data && refreshed(shown, news),
    counts: useQuery(countsQuery(projectId, filters, every(POLL_COUNTS_MS))).data,
    histogram: useQuery(histogramQuery(projectId, filters, every(POLL_CHART_MS))).data,
    next: onScreen.data?.next ?? null,
    previous: onScreen.data?.previous ?? null,
    error: onScreen.error ?? latest.error ?? changed.error,
    tryAgain: () => void queryClient.refetchQueries({ queryKey: ['runs', projectId], type: 'active' }),
    arrivals:
      isFirstPage && latest.data ? arrivalsSince(shown, latest.data.data, latest.data.next !== null) : NO_ARRIVALS,
    showArrivals: () => {
      queryClient.setQueryData(runsQuery(projectId, filters).queryKey, latest.data);
      window.scrollTo({ top: 0 });
    },
    isLive,
  };
}

/** The same ids until the page is read anew, so that each run that ends does not make another query. */
const unfinishedOf = (shown: readonly Run[]): string[] => shown.filter(isUnfinished).map(({ id }) => id);

/** Returns a signal by which everything is asked for again that may have changed, each part at its own pace. */
function useSignals(projectId: string, filters: RunFilters): () => void {
  const queryClient = useQueryClient();
  const again = (queryKey: QueryKey) => () => queryClient.refetchQueries({ queryKey, type: 'active' });
  const signals = [
    usePaced(again(latestRunsQuery(projectId, filters, true, false).queryKey), AT_ONCE),
    usePaced(again(countsQuery(projectId, filters, false).queryKey), SOON),
    usePaced(again(['runs', projectId, 'changed']), RARELY),
    usePaced(again(histogramQuery(projectId, filters, false).queryKey), SELDOM),
  ];
  return () => signals.forEach((signal) => signal());
}
