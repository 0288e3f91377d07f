import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import type { Schemas } from '../api/client';
import { Button } from '../controls/button';
import { Pager } from '../controls/pager';
import { Problem } from '../controls/problem';
import { isUnfinished, RUN_STATUSES, type Run } from '../run-status/run-words';
import { Page } from '../shell/page';
import { useProject } from '../shell/project';
import { canActOnMatching } from './bulk-selection';
import { arrivalsSince, NO_ARRIVALS, refreshed } from './live-runs';
import { RunChart } from './run-chart';
import { RunFilterBar } from './run-filter-bar';
import { filtersOf, isFiltered, withFilter, withoutFilters, type RunFilters } from './run-filters';
import { changedRunsQuery, countsQuery, histogramQuery, latestRunsQuery, runsQuery } from './run-queries';
import { RunTable } from './run-table';
import styles from './runs-page.module.css';
import { SelectionBar } from './selection-bar';
import { StatusCounts } from './status-counts';
import { useSelection } from './use-selection';
import { words } from './words';

/** The runs of a project. Filters are in the address; rows change in place and new ones wait to be asked for. */
export function RunsPage() {
  const { projectId } = useProject();
  const [search, setSearch] = useSearchParams();
  const [isLive, setLive] = useState(true);
  const filters = filtersOf(search);
  const cursor = search.get('cursor') ?? undefined;
  const list = useLiveRuns(projectId, filters, { cursor, isLive });
  const counts = useQuery(countsQuery(projectId, filters, isLive));
  const histogram = useQuery(histogramQuery(projectId, filters, isLive));
  const selected = useSelection();
  const turnTo = (to: string) => setSearch((before) => withFilter(before, 'cursor', [to]));
  return (
    <Page name={words.runs} actions={<LiveSwitch isLive={isLive} onSwitch={setLive} />}>
      <RunFilterBar projectId={projectId} />
      {histogram.data && <RunChart histogram={histogram.data} />}
      <StatusCounts counts={counts.data} chosen={filters.status ?? []} />
      {list.error && <Problem error={list.error} onTryAgain={list.tryAgain} />}
      {!list.runs && !list.error && <p role="status">{words.loading}</p>}
      <div role="status" className={styles['news']}>
        {list.arrivals.count > 0 && (
          <Button className={styles['arrivals'] ?? ''} onClick={list.showArrivals}>
            <span aria-hidden="true">▲</span> {words.newRuns(list.arrivals.count, list.arrivals.isAtLeast)}
          </Button>
        )}
      </div>
      {list.runs?.length === 0 && (
        <NoRuns isFiltered={isFiltered(search)} onShowAll={() => setSearch(withoutFilters)} />
      )}
      {list.runs && list.runs.length > 0 && (
        <RunTable runs={list.runs} isSelected={selected.isSelected} onSelect={selected.select} />
      )}
      <Pager>
        {cursor !== undefined && <Button onClick={() => turnTo('')}>{words.newest}</Button>}
        {list.previous !== null && <Button onClick={() => turnTo(list.previous ?? '')}>{words.newer}</Button>}
        {list.next !== null && <Button onClick={() => turnTo(list.next ?? '')}>{words.older}</Button>}
      </Pager>
      {!selected.isEmpty && (
        <SelectionBar
          projectId={projectId}
          selection={selected.selection}
          matching={canActOnMatching(filters) ? countMatching(counts.data, filters) : undefined}
          onSelectMatching={selected.selectMatching}
          onUnselect={selected.unselect}
        />
      )}
    </Page>
  );
}

const countMatching = (counts: Schemas['RunCounts'] | undefined, { status = [...RUN_STATUSES] }: RunFilters) =>
  counts && status.reduce((sum, each) => sum + counts[each], 0);

interface Watched {
  cursor?: string;
  isLive: boolean;
}

/** The runs of one page, kept up to date without moving them. */
function useLiveRuns(projectId: string, filters: RunFilters, { cursor, isLive }: Watched) {
  const queryClient = useQueryClient();
  const onScreen = useQuery(runsQuery(projectId, filters, cursor));
  const shown = onScreen.data?.data ?? [];
  const isFirstPage = cursor === undefined && onScreen.data !== undefined && !onScreen.isPlaceholderData;
  const latest = useQuery(latestRunsQuery(projectId, filters, isLive && isFirstPage));
  const unfinished = shown.filter(isUnfinished).map(({ id }) => id);
  const changed = useQuery(changedRunsQuery(projectId, unfinished, isLive));
  const news: readonly Run[] = [...(latest.data?.data ?? []), ...(changed.data?.data ?? [])];
  const showArrivals = () => {
    queryClient.setQueryData(runsQuery(projectId, filters).queryKey, latest.data);
    window.scrollTo({ top: 0 });
  };
  return {
    runs: onScreen.data && refreshed(shown, news),
    next: onScreen.data?.next ?? null,
    previous: onScreen.data?.previous ?? null,
    error: onScreen.error ?? latest.error ?? changed.error,
    tryAgain: () => void queryClient.refetchQueries({ queryKey: ['runs', projectId], type: 'active' }),
    arrivals:
      isFirstPage && latest.data ? arrivalsSince(shown, latest.data.data, latest.data.next !== null) : NO_ARRIVALS,
    showArrivals,
  };
}

const LiveSwitch = ({ isLive, onSwitch }: { isLive: boolean; onSwitch: (live: boolean) => void }) => (
  <Button aria-pressed={isLive} className={styles['live'] ?? ''} onClick={() => onSwitch(!isLive)}>
    <span aria-hidden="true">{isLive ? '●' : '⏸'}</span> {words.live}
  </Button>
);

const NoRuns = ({ isFiltered, onShowAll }: { isFiltered: boolean; onShowAll: () => void }) => (
  <div className={styles['empty']}>
    <p>{isFiltered ? words.noneMatch : words.none}</p>
    {isFiltered && <Button onClick={onShowAll}>{words.showAll}</Button>}
  </div>
);
