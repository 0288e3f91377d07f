import { Link } from 'react-router';
import { ExactText } from '../controls/exact-text';
import { Moment } from '../controls/moment';
import { Table } from '../controls/table';
import { durationWords, exactTime } from '../controls/time-words';
import { RunStatus } from '../run-status/run-status';
import { reasonWords, runDuration, STATUS_WORDS, triggerWords, type Run } from '../run-status/run-words';
import styles from './runs-page.module.css';
import { words } from './words';

interface RunTableProps {
  runs: readonly Run[];
  isSelected: (run: Run) => boolean;
  onSelect: (runs: readonly Run[], selected: boolean) => void;
}

export function RunTable({ runs, isSelected, onSelect }: RunTableProps) {
  const selectPage = (
    <input
      key="select"
      type="checkbox"
      aria-label={words.selectPage}
      checked={runs.every(isSelected)}
      onChange={({ target }) => onSelect(runs, target.checked)}
    />
  );
  const columns = [selectPage, words.status, words.flow, words.trigger, words.started, words.duration, words.steps];
  return (
    <Table name={words.runs} columns={columns}>
      {runs.map((run) => (
        <RunRow
          key={run.id}
          run={run}
          isSelected={isSelected(run)}
          onSelect={(selected) => onSelect([run], selected)}
        />
      ))}
    </Table>
  );
}

interface RunRowProps {
  run: Run;
  isSelected: boolean;
  onSelect: (selected: boolean) => void;
}

function RunRow({ run, isSelected, onSelect }: RunRowProps) {
  const now = Date.now();
  const duration = runDuration(run, now);
  const reason = reasonWords(run, now);
  const flow = run.flowVersion.displayName;
  return (
    <tr>
      <td className={styles['selector']}>
        <input
          type="checkbox"
          // The name of a row begins with that of its first control, and so with the status in words.
          aria-label={words.selectRun(STATUS_WORDS[run.status], flow, exactTime(run.created))}
          checked={isSelected}
          onChange={({ target }) => onSelect(target.checked)}
        />
      </td>
      <td>
        <RunStatus status={run.status} />
      </td>
      <td className={styles['flow']}>
        <Link to={`/runs/${run.id}`}>
          <ExactText text={flow} />
        </Link>
        {run.environment === 'TESTING' && <span className={styles['badge']}>{words.environments.TESTING}</span>}
        {run.archivedAt !== null && <span className={styles['badge']}>{words.archivedRun}</span>}
      </td>
      <td className={styles['figure']}>
        <ExactText text={triggerWords(run)} />
      </td>
      <td className={styles['figure']}>
        <Moment at={run.startTime ?? run.created} />
      </td>
      <td className={styles['figure']}>{duration === null ? words.notStarted : durationWords(duration)}</td>
      <td>
        <span className={styles['reason']} title={reason}>
          {reason === '' ? words.stepsOf(run.stepsCount) : <ExactText text={reason} />}
        </span>
      </td>
    </tr>
  );
}
