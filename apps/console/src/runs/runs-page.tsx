import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { Schemas } from '../api/client';
import { Button } from '../controls/button';
import { Empty } from '../controls/empty';
import { Pager } from '../controls/pager';
import { Problem } from '../controls/problem';
import { RUN_STATUSES } from '../run-status/run-words';
import { Page } from '../shell/page';
import { inProject, useProject } from '../shell/project';
import { canActOnMatching } from './bulk-selection';
import { RunChart } from './run-chart';
import { RunFilterBar } from './run-filter-bar';
import { filtersOf, isFiltered, withFilter, withoutFilters, type RunFilters } from './run-filters';
import { RunTable } from './run-table';
import styles from './runs-page.module.css';
import { SelectionBar } from './selection-bar';
import { StatusCounts } from './status-counts';
import { useLiveRuns } from './use-live-runs';
import { useSelection } from './use-selection';
import { words } from './words';

/** The runs of a project. Filters are in the address; rows change in place and new ones wait to be asked for. */
export function RunsPage() {
  const { projectId } = useProject();
  const [search, setSearch] = useSearchParams();
  const [isOn, setOn] = useState(true);
  const filters = filtersOf(search);
  const cursor = search.get('cursor') ?? undefined;
  const list = useLiveRuns(projectId, filters, { cursor, isOn });
  const selected = useSelection();
  const turnTo = (to: string) => setSearch((before) => withFilter(before, 'cursor', [to]));
  return (
    <Page name={words.runs} actions={<LiveSwitch isOn={isOn} isLive={list.isLive} onSwitch={setOn} />}>
      <RunFilterBar projectId={projectId} />
      {list.histogram ? <RunChart histogram={list.histogram} /> : <div className={styles['chartPlace']} />}
      <StatusCounts counts={list.counts} chosen={filters.status ?? []} />
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
        <NoRuns {...{ projectId }} isFiltered={isFiltered(search)} onShowAll={() => setSearch(withoutFilters)} />
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
          matching={canActOnMatching(filters) ? countMatching(list.counts, filters) : undefined}
          onSelectMatching={selected.selectMatching}
          onUnselect={selected.unselect}
        />
      )}
    </Page>
  );
}

const countMatching = (counts: Schemas['RunCounts'] | undefined, { status = [...RUN_STATUSES] }: RunFilters) =>
  counts && status.reduce((sum, each) => sum + counts[each], 0);

interface LiveSwitchProps {
  isOn: boolean;
  /** Whether changes are heard of as they happen. */
  isLive: boolean;
  onSwitch: (isOn: boolean) => void;
}

const LiveSwitch = ({ isOn, isLive, onSwitch }: LiveSwitchProps) => (
  <Button
    aria-pressed={isOn}
    title={isOn ? (isLive ? words.heard : words.asked) : words.still}
    className={styles['live'] ?? ''}
    onClick={() => onSwitch(!isOn)}
  >
    <span aria-hidden="true">{isOn ? (isLive ? '●' : '◌') : '⏸'}</span> {words.live}
  </Button>
);

interface NoRunsProps {
  projectId: string;
  isFiltered: boolean;
  onShowAll: () => void;
}

const NoRuns = ({ projectId, isFiltered, onShowAll }: NoRunsProps) => (
  <Empty says={isFiltered ? words.noneMatch : words.none}>
    {isFiltered ? (
      <Button onClick={onShowAll}>{words.showAll}</Button>
    ) : (
      <Link to={inProject('/flows', projectId)}>{words.toFlows}</Link>
    )}
  </Empty>
);
