import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { Button } from '../controls/button';
import { ChoiceField } from '../controls/field';
import { lazyPart } from '../controls/lazy-part';
import { SearchField } from '../controls/search-field';
import { Page } from '../shell/page';
import { PagedList } from '../shell/paged-list';
import { useProject } from '../shell/project';
import type { BulkAction } from './dialog-words';
import { FLOW_STATUSES, flowsQuery, type FlowSummary } from './flow-queries';
import { FlowTable } from './flow-table';
import styles from './flows-page.module.css';
import { FolderList } from './folder-list';
import { NO_FOLDER } from './folder-queries';
import { NewFlowDialog } from './new-flow-dialog';
import { SelectionBar } from './selection-bar';
import { useDroppedTexts } from './use-dropped-texts';
import { useSelection } from './use-selection';
import { words } from './words';

const BulkDialog = lazyPart(async () => (await import('./bulk-dialog')).BulkDialog, { isOver: true });
const Examples = lazyPart(async () => (await import('./examples')).Examples);

/** In an address that asks for a new flow. */
const NEW = 'new';

/** The flows of a project. What is searched and filtered is in the address. */
export function FlowsPage() {
  const { projectId, may } = useProject();
  const [search, setSearch] = useSearchParams();
  /** The JSON of which a flow is made; empty for a flow of nothing, null while none is made. */
  const [making, setMaking] = useState<readonly string[] | null>(search.has(NEW) ? [] : null);
  // The address has done its part: going back to it makes no other flow.
  useEffect(() => {
    if (search.has(NEW)) setSearch(without(NEW), { replace: true });
  }, [search, setSearch]);
  useDroppedTexts(
    may('WRITE_FLOW'),
    useCallback((texts: string[]) => setMaking(texts), []),
  );
  const filters = filtersOf(search);
  const place = { projectId, folderId: filters.folderId && filters.folderId !== NO_FOLDER ? filters.folderId : null };
  const newFlow = (
    <Button isMain onClick={() => setMaking([])}>
      {words.newFlow}
    </Button>
  );
  return (
    <Page name={words.flows} actions={may('WRITE_FLOW') && newFlow}>
      <div className={styles['layout']}>
        <FolderList />
        <div className={styles['list']}>
          <FilterBar filters={filters} onFilter={(name, value) => setSearch(filtered(name, value), replaces(name))} />
          <FlowList key={projectId} filters={filters} onShowAll={() => setSearch({ projectId })} />
        </div>
      </div>
      {making && (
        // Other JSON that is dropped meanwhile is taken in place of the first.
        <NewFlowDialog key={making.join('')} place={place} texts={making} onClose={() => setMaking(null)} />
      )}
    </Page>
  );
}

/** Going back does not take every letter of a search back. */
const replaces = (name: string) => ({ replace: name === 'name' });

const without = (name: string) => (before: URLSearchParams) => {
  const after = new URLSearchParams(before);
  after.delete(name);
  return after;
};

const filtered = (name: string, value: string) => (before: URLSearchParams) => {
  const after = new URLSearchParams(before);
  after.delete('cursor');
  if (value) after.set(name, value);
  else after.delete(name);
  return after;
};

interface FilterBarProps {
  filters: Filters;
  onFilter: (name: string, value: string) => void;
}

const STATUSES = [
  { value: '', label: words.anyStatus },
  { value: 'ENABLED', label: words.enabled },
  { value: 'DISABLED', label: words.disabled },
];

const FilterBar = ({ filters, onFilter }: FilterBarProps) => (
  <div role="search" className={styles['filters']}>
    <SearchField label={words.searchFlows} value={filters.name ?? ''} onSearch={(name) => onFilter('name', name)} />
    <ChoiceField
      label={words.status}
      isLabelHidden
      value={filters.status ?? ''}
      choices={STATUSES}
      onChoose={(status) => onFilter('status', status)}
    />
  </div>
);

interface FlowListProps {
  filters: Filters;
  onShowAll: () => void;
}

interface Act {
  action: BulkAction;
  flows: readonly FlowSummary[];
}

function FlowList({ filters, onShowAll }: FlowListProps) {
  const { projectId, may } = useProject();
  const selection = useSelection(JSON.stringify({ ...filters, cursor: undefined }));
  const [act, setAct] = useState<Act | null>(null);
  const [said, setSaid] = useState('');
  const flows = useQuery(flowsQuery({ projectId, ...filters }));
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const done = (words: string) => {
    setSaid(words);
    setAct(null);
    selection.unselect();
  };
  return (
    <>
      <p role="status" className={styles['said']}>
        {said}
      </p>
      <PagedList query={flows} none={<NoFlows isFiltered={isFiltered} onShowAll={onShowAll} />}>
        {(all) => (
          <FlowTable
            projectId={projectId}
            flows={all}
            isSelected={selection.isSelected}
            onSelect={may('UPDATE_FLOW_STATUS') ? selection.select : undefined}
            onAct={(action, flow) => setAct({ action, flows: [flow] })}
          />
        )}
      </PagedList>
      {selection.flows.length > 0 && (
        <SelectionBar
          flows={selection.flows}
          onAct={(action) => setAct({ action, flows: selection.flows })}
          onUnselect={selection.unselect}
        />
      )}
      {act && <BulkDialog projectId={projectId} {...act} onDone={done} onClose={() => setAct(null)} />}
    </>
  );
}

function NoFlows({ isFiltered, onShowAll }: { isFiltered: boolean; onShowAll: () => void }) {
  const { projectId, may } = useProject();
  return (
    <div className={styles['empty']}>
      <p>{isFiltered ? words.noneMatch : words.noFlows}</p>
      {isFiltered && <Button onClick={onShowAll}>{words.showAll}</Button>}
      {!isFiltered && may('WRITE_FLOW') && <Examples projectId={projectId} />}
    </div>
  );
}

type Filters = ReturnType<typeof filtersOf>;

function filtersOf(search: URLSearchParams) {
  return {
    name: search.get('name') ?? undefined,
    status: FLOW_STATUSES.find((status) => status === search.get('status')),
    folderId: search.get('folderId') ?? undefined,
    cursor: search.get('cursor') ?? undefined,
  };
}
