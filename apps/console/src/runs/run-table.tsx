import { Link } from 'react-router';
import { Moment } from '../controls/moment';
import { Table } from '../controls/table';
import { durationWords } from '../controls/time-words';
import { RunStatus } from '../run-status/run-status';
import { reasonWords, runDuration, triggerWords, type Run } from '../run-status/run-words';
import styles from './runs-page.module.css';
import { words } from './words';

export const RunTable = ({ runs }: { runs: readonly Run[] }) => (
  <Table
    name={words.runs}
    columns={[words.status, words.flow, words.trigger, words.started, words.duration, words.steps]}
  >
    {runs.map((run) => (
      <RunRow key={run.id} run={run} />
    ))}
  </Table>
);

function RunRow({ run }: { run: Run }) {
  const now = Date.now();
  const duration = runDuration(run, now);
  const reason = reasonWords(run, now);
  const flow = run.flowVersion.displayName;
  return (
    <tr>
      <td>
        <RunStatus status={run.status} />
      </td>
      <td className={styles['flow']}>
        <Link to={`/runs/${run.id}`}>{flow}</Link>
        {run.environment === 'TESTING' && <span className={styles['badge']}>{words.environments.TESTING}</span>}
        {run.archivedAt !== null && <span className={styles['badge']}>{words.archivedRun}</span>}
      </td>
      <td className={styles['figure']}>{triggerWords(run.triggeredBy)}</td>
      <td className={styles['figure']}>
        <Moment at={run.startTime ?? run.created} />
      </td>
      <td className={styles['figure']}>{duration === null ? words.notStarted : durationWords(duration)}</td>
      <td>
        <span className={styles['reason']} title={reason}>
          {reason === '' ? words.stepsOf(run.stepsCount) : reason}
        </span>
      </td>
    </tr>
  );
}
