import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { Button } from '../controls/button';
import { ExactText } from '../controls/exact-text';
import { ChoiceField } from '../controls/field';
import { Pager } from '../controls/pager';
import { Moment } from '../controls/moment';
import { Problem } from '../controls/problem';
import { SearchField } from '../controls/search-field';
import { Status } from '../controls/status';
import { Table } from '../controls/table';
import { Page } from '../shell/page';
import { useProject } from '../shell/project';
import { FlowActions } from './flow-actions';
import { FLOW_STATUSES, flowsQuery, summariesQuery, type FlowSummary } from './flow-queries';
import { LastRun, RunsOfDay } from './run-summary';
import styles from './flows-page.module.css';
import { NewFlowDialog } from './new-flow-dialog';
import { words } from './words';

const STATUSES = [
  { value: '', label: words.anyStatus },
  { value: 'ENABLED', label: words.enabled },
  { value: 'DISABLED', label: words.disabled },
];

/** The flows of a project. What is searched and filtered is in the address. */
export function FlowsPage() {
  const { projectId } = useProject();
  const [search, setSearch] = useSearchParams();
  const [isCreating, setCreating] = useState(false);
  const filters = filtersOf(search);
  const { data, error, refetch } = useQuery(flowsQuery({ projectId, ...filters }));
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const showAll = () => setSearch({ projectId });
  const filter = (name: string, value: string) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        after.delete('cursor');
        if (value) after.set(name, value);
        else after.delete(name);
        return after;
      },
      { replace: name === 'name' }, // going back does not take every letter back
    );
  return (
    <Page
      name={words.flows}
      actions={
        <Button isMain onClick={() => setCreating(true)}>
          {words.newFlow}
        </Button>
      }
    >
      <div role="search" className={styles['filters']}>
        <SearchField label={words.searchFlows} value={filters.name ?? ''} onSearch={(name) => filter('name', name)} />
        <ChoiceField
          label={words.status}
          isLabelHidden
          value={filters.status ?? ''}
          choices={STATUSES}
          onChoose={(status) => filter('status', status)}
        />
      </div>
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {!data && !error && <p role="status">{words.loading}</p>}
      {data && <FlowTable projectId={projectId} flows={data.data} isFiltered={isFiltered} onShowAll={showAll} />}
      <Pager>
        {filters.cursor && <Button onClick={() => filter('cursor', '')}>{words.newer}</Button>}
        {data?.next && <Button onClick={() => filter('cursor', data.next ?? '')}>{words.older}</Button>}
      </Pager>
      {isCreating && <NewFlowDialog projectId={projectId} onClose={() => setCreating(false)} />}
    </Page>
  );
}

interface FlowTableProps {
  projectId: string;
  flows: readonly FlowSummary[];
  isFiltered: boolean;
  onShowAll: () => void;
}

function FlowTable({ projectId, flows, isFiltered, onShowAll }: FlowTableProps) {
  const ids = flows.map(({ id }) => id);
  const { data: summaries } = useQuery(summariesQuery(projectId, ids));
  if (flows.length === 0)
    return (
      <div className={styles['empty']}>
        <p>{isFiltered ? words.noneMatch : words.noFlows}</p>
        {isFiltered && <Button onClick={onShowAll}>{words.showAll}</Button>}
      </div>
    );
  return (
    <Table
      name={words.flows}
      columns={[words.name, words.status, words.lastRun, words.day, words.changed, words.actions]}
    >
      {flows.map((flow) => (
        <tr key={flow.id}>
          <td>
            <Link to={`/flows/${flow.id}`}>
              <ExactText text={flow.version.displayName} />
            </Link>
          </td>
          <td>
            <FlowStatus flow={flow} />
          </td>
          <td>
            <LastRun summary={summaries?.get(flow.id)} />
          </td>
          <td>
            <RunsOfDay summary={summaries?.get(flow.id)} />
          </td>
          <td>
            <Moment at={flow.version.updated} />
          </td>
          <td>
            <FlowActions flow={flow} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function FlowStatus({ flow }: { flow: FlowSummary }) {
  if (flow.status === 'ENABLED') return <Status tone="good" word={words.enabled} />;
  return <Status tone="idle" word={flow.publishedVersionId === null ? words.draft : words.disabled} />;
}

function filtersOf(search: URLSearchParams) {
  return {
    name: search.get('name') ?? undefined,
    status: FLOW_STATUSES.find((status) => status === search.get('status')),
    cursor: search.get('cursor') ?? undefined,
  };
}
