import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { Button } from '../controls/button';
import { ChoiceField, TextField } from '../controls/field';
import { exactTime } from '../controls/time-words';
import {
  ENVIRONMENTS,
  filtersOf,
  isFiltered,
  listedIn,
  WAIT_KINDS,
  withFilter,
  withoutFilters,
  type RunFilters,
} from './run-filters';
import { flowChoicesQuery } from './run-queries';
import styles from './runs-page.module.css';
import { SavedViews } from './saved-views';
import { WINDOWS, words } from './words';

const MINUTE_MS = 60_000;

/** The filters that are shown when one of them is set, or when somebody wants to see them. */
const MORE = [
  ...(['tags', 'failedStepName', 'fingerprint', 'waitingOn', 'flowRunIds', 'includeArchived'] as const),
  ...(['parentRunId', 'retryOfRunId'] as const),
];

/** The filters of the list. Each is in the address. */
export function RunFilterBar({ projectId }: { projectId: string }) {
  const [search, setSearch] = useSearchParams();
  const filters = filtersOf(search);
  const filter = (name: string, ...values: string[]) => setSearch((before) => withFilter(before, name, values));
  const hasMore = MORE.some((name) => filters[name] !== undefined);
  const [isOpen, setOpen] = useState(hasMore);
  return (
    <div role="search" aria-label={words.filters} className={styles['filters']}>
      <FlowChoice projectId={projectId} flowId={filters.flowId} onChoose={(flowId) => filter('flowId', flowId)} />
      <SinceChoice since={filters.createdAfter} onChoose={(since) => filter('createdAfter', since)} />
      <ChoiceField
        label={words.environment}
        isLabelHidden
        value={filters.environment ?? ''}
        choices={[
          { value: '', label: words.anyEnvironment },
          ...ENVIRONMENTS.map((value) => ({ value, label: words.environments[value] })),
        ]}
        onChoose={(environment) => filter('environment', environment)}
      />
      <details className={styles['more']} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{words.more}</summary>
        <MoreFilters filters={filters} onFilter={filter} />
      </details>
      {isFiltered(search) && <Button onClick={() => setSearch(withoutFilters)}>{words.clear}</Button>}
      <SavedViews projectId={projectId} />
    </div>
  );
}

interface FlowChoiceProps {
  projectId: string;
  flowId?: string;
  onChoose: (flowId: string) => void;
}

function FlowChoice({ projectId, flowId = '', onChoose }: FlowChoiceProps) {
  const { data } = useQuery(flowChoicesQuery(projectId));
  const flows = (data?.data ?? []).map(({ id, version }) => ({ value: id, label: version.displayName }));
  const isKnown = flowId === '' || flows.some(({ value }) => value === flowId);
  const other = isKnown ? [] : [{ value: flowId, label: words.otherFlow }];
  const choices = [{ value: '', label: words.anyFlow }, ...flows, ...other];
  return <ChoiceField label={words.flow} isLabelHidden value={flowId} choices={choices} onChoose={onChoose} />;
}

/** A window of time becomes a moment when it is chosen, so that the address shows the same to everybody. */
function SinceChoice({ since = '', onChoose }: { since?: string; onChoose: (since: string) => void }) {
  const chosen = since === '' ? [] : [{ value: since, label: words.sinceMoment(exactTime(since)) }];
  const windows = WINDOWS.map(({ label, minutes }) => ({ value: String(minutes), label }));
  const choose = (value: string) => {
    const window = WINDOWS.find(({ minutes }) => String(minutes) === value);
    onChoose(window ? new Date(Date.now() - window.minutes * MINUTE_MS).toISOString() : value);
  };
  const choices = [{ value: '', label: words.anyTime }, ...chosen, ...windows];
  return <ChoiceField label={words.since} isLabelHidden value={since} choices={choices} onChoose={choose} />;
}

interface MoreFiltersProps {
  filters: RunFilters;
  onFilter: (name: string, ...values: string[]) => void;
}

const MoreFilters = ({ filters, onFilter }: MoreFiltersProps) => (
  <div className={styles['moreFilters']}>
    <TypedFilter label={words.tags} values={filters.tags} onType={(text) => onFilter('tags', ...listedIn(text))} />
    <TypedFilter
      label={words.failedStep}
      values={filters.failedStepName === undefined ? [] : [filters.failedStepName]}
      onType={(text) => onFilter('failedStepName', text.trim())}
    />
    <TypedFilter
      label={words.fingerprint}
      values={filters.fingerprint === undefined ? [] : [filters.fingerprint]}
      onType={(text) => onFilter('fingerprint', text.trim())}
    />
    <TypedFilter
      label={words.ids}
      values={filters.flowRunIds}
      onType={(text) => onFilter('flowRunIds', ...listedIn(text))}
    />
    <TypedFilter
      label={words.startedByRun}
      values={filters.parentRunId === undefined ? [] : [filters.parentRunId]}
      onType={(text) => onFilter('parentRunId', text.trim())}
    />
    <TypedFilter
      label={words.retriesOfRun}
      values={filters.retryOfRunId === undefined ? [] : [filters.retryOfRunId]}
      onType={(text) => onFilter('retryOfRunId', text.trim())}
    />
    <ChoiceField
      label={words.waitingOn}
      value={filters.waitingOn ?? ''}
      choices={[
        { value: '', label: words.anything },
        ...WAIT_KINDS.map((value) => ({ value, label: words.waits[value] })),
      ]}
      onChoose={(kind) => onFilter('waitingOn', kind)}
    />
    <label className={styles['tick']}>
      <input
        type="checkbox"
        checked={filters.includeArchived ?? false}
        onChange={({ target }) => onFilter('includeArchived', target.checked ? 'true' : '')}
      />
      {words.archived}
    </label>
  </div>
);

interface TypedFilterProps {
  label: string;
  values?: readonly string[];
  onType: (text: string) => void;
}

/** Filters when the typing is done, by Enter or by leaving the field. */
function TypedFilter({ label, values = [], onType }: TypedFilterProps) {
  const text = values.join(', ');
  const done = (typed: string) => typed !== text && onType(typed);
  return (
    <TextField
      key={text}
      label={label}
      defaultValue={text}
      autoComplete="off"
      spellCheck={false}
      onBlur={({ target }) => done(target.value)}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && done(currentTarget.value)}
    />
  );
}
