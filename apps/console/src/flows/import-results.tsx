import { Link, useNavigate } from 'react-router';
import { Button } from '../controls/button';
import { DialogActions } from '../controls/dialog';
import { Problem } from '../controls/problem';
import { Status } from '../controls/status';
import { words } from './dialog-words';
import type { ImportReport } from './flow-changes';
import styles from './flow-dialogs.module.css';

/** What came of one flow of an import: a report, or why it was refused. */
export interface ImportResult {
  name: string;
  report?: ImportReport;
  error?: Error;
}

/** Says of each imported flow what it lacks before it can be published. */
export function ImportResults({ results, onClose }: { results: readonly ImportResult[]; onClose: () => void }) {
  const navigate = useNavigate();
  const reports = results.map(({ report }) => report).filter((report) => report !== undefined);
  const only = results.length === 1 ? reports[0] : undefined;
  return (
    <>
      <p role="status">{words.imported(reports.length)}</p>
      <ul className={styles['results']}>
        {results.map(({ name, report, error }, index) => (
          <li key={index}>
            <h3>{report ? <Link to={`/flows/${report.flowId}`}>{name}</Link> : words.refused(name)}</h3>
            {report ? <Problems problems={report.problems} /> : <Problem error={error} />}
          </li>
        ))}
      </ul>
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        {only && (
          <Button isMain onClick={() => void navigate(`/flows/${only.flowId}`)}>
            {words.openFlow}
          </Button>
        )}
      </DialogActions>
    </>
  );
}

function Problems({ problems }: Pick<ImportReport, 'problems'>) {
  if (problems.length === 0) return <p>{words.importClean}</p>;
  return (
    <>
      <p>{words.importProblems(problems.length)}</p>
      <ul className={styles['problems']}>
        {problems.map(({ stepName, severity, message }) => (
          <li key={`${stepName} ${message}`}>
            <Status tone={severity === 'error' ? 'bad' : 'waits'} word={words.severities[severity]} />{' '}
            <code>{stepName}</code> {message}
          </li>
        ))}
      </ul>
    </>
  );
}
