import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { ExactText } from '../controls/exact-text';
import { Moment } from '../controls/moment';
import { Status } from '../controls/status';
import { Table } from '../controls/table';
import { FlowActions } from './flow-actions';
import { summariesQuery, type FlowSummary } from './flow-queries';
import { LastRun, RunsOfDay } from './run-summary';
import type { BulkAction } from './dialog-words';
import styles from './flows-page.module.css';
import { words } from './words';

interface FlowTableProps {
  projectId: string;
  flows: readonly FlowSummary[];
  isSelected: (flow: FlowSummary) => boolean;
  /** undefined for somebody who may do nothing with flows. */
  onSelect?: (flows: readonly FlowSummary[], isSelected: boolean) => void;
  onAct: (action: BulkAction, flow: FlowSummary) => void;
}

export function FlowTable({ projectId, flows, isSelected, onSelect, onAct }: FlowTableProps) {
  const { data: summaries } = useQuery(
    summariesQuery(
      projectId,
      flows.map(({ id }) => id),
    ),
  );
  const columns = [words.name, words.status, words.lastRun, words.day, words.changed, words.actions];
  const selectPage = onSelect && (
    <input
      key="select"
      type="checkbox"
      aria-label={words.selectPage}
      checked={flows.every(isSelected)}
      onChange={({ target }) => onSelect(flows, target.checked)}
    />
  );
  return (
    <Table name={words.flows} columns={selectPage ? [selectPage, ...columns] : columns}>
      {flows.map((flow) => (
        <tr key={flow.id}>
          {onSelect && (
            <td className={styles['selector']}>
              <input
                type="checkbox"
                // The name of a row begins with that of its first control, and so with the name of the flow.
                aria-label={words.select(flow.version.displayName)}
                checked={isSelected(flow)}
                onChange={({ target }) => onSelect([flow], target.checked)}
              />
            </td>
          )}
          <td className={styles['name']}>
            <Link to={`/flows/${flow.id}`}>
              <ExactText text={flow.version.displayName} />
            </Link>
            <MadeOf version={flow.version} />
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
            {flow.version.updatedByName} <Moment at={flow.version.updated} />
          </td>
          <td>
            <FlowActions flow={flow} onAct={onAct} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** What starts the flow, and which pieces its steps use. */
function MadeOf({ version: { triggerType, pieceNames } }: Pick<FlowSummary, 'version'>) {
  // The piece of the trigger comes first. What kind of trigger it is says more.
  const names = triggerType === null ? pieceNames : [words.triggers[triggerType], ...pieceNames.slice(1)];
  return <span className={styles['madeOf']}>{names.slice(0, MOST_NAMES).join(' · ')}</span>;
}

const MOST_NAMES = 5;

function FlowStatus({ flow }: { flow: FlowSummary }) {
  if (flow.status === 'ENABLED') return <Status tone="good" word={words.enabled} />;
  return <Status tone="idle" word={flow.publishedVersionId === null ? words.draft : words.disabled} />;
}
