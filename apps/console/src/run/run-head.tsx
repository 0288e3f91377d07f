import { Link } from 'react-router';
import { Button } from '../controls/button';
import { ExactText } from '../controls/exact-text';
import { LongText } from '../controls/long-text';
import { Moment } from '../controls/moment';
import { durationWords } from '../controls/time-words';
import { RunStatus } from '../run-status/run-status';
import { isUnfinished, runDuration, triggerWords, waitOf, waitWords } from '../run-status/run-words';
import { Relatives } from './relatives';
import styles from './run-page.module.css';
import type { RunDetail, RunVersion } from './run-queries';
import type { RunAddress } from './use-run-address';
import { words } from './words';

interface RunHeadProps {
  run: RunDetail;
  version?: RunVersion;
  address: RunAddress;
  nameOf: (step: string) => string;
  /** The place of the step with which the run failed, if it is known. */
  failed: string | null;
}

/** The tabs that show the chosen step beside them. */
const WITH_STEP = ['timeline', 'canvas'];

/** What the run is, how it went, and why. */
export const RunHead = (head: RunHeadProps) => (
  <div className={styles['head']}>
    <nav aria-label={words.way} className={styles['way']}>
      <Link to={`/runs?${new URLSearchParams({ projectId: head.run.projectId }).toString()}`}>{words.runs}</Link>
      <span aria-hidden="true">›</span>
      <Link to={`/flows/${head.run.flowId}`}>
        <ExactText text={head.run.flowVersion.displayName} />
      </Link>
      <span aria-hidden="true">›</span>
      <code>{head.run.id}</code>
    </nav>
    <Facts {...head} />
    <Relatives run={head.run} />
    <Reason {...head} />
  </div>
);

function Facts({ run, version }: RunHeadProps) {
  const duration = runDuration(run, Date.now());
  const queued = run.startTime === null ? null : Math.max(0, Date.parse(run.startTime) - Date.parse(run.created));
  return (
    <ul className={styles['facts']}>
      <li className={styles['status']}>
        <RunStatus status={run.status} />{' '}
        {duration !== null && (isUnfinished(run) ? words.since : words.after)(durationWords(duration))}
      </li>
      <li>
        <Moment at={run.created} />, <ExactText text={words.startedBy(triggerWords(run))} />
      </li>
      {queued !== null && <li>{words.queued(durationWords(queued))}</li>}
      {version && (
        <li>
          {version.isDraft ? words.draft : words.version} <Moment at={version.created} />
        </li>
      )}
      {run.environment === 'TESTING' && <li>{words.test}</li>}
      {run.archivedAt !== null && <li>{words.archived}</li>}
      {run.tags.map((tag) => (
        <li key={tag} className={styles['tag']}>
          <ExactText text={tag} />
        </li>
      ))}
    </ul>
  );
}

/** Why the run is as it is, in a sentence. */
function Reason({ run, address, nameOf, failed }: RunHeadProps) {
  const { failedStep, statusReason } = run;
  const wait = waitOf(run);
  const isShown = failed === address.step && WITH_STEP.includes(address.tab);
  if (failedStep)
    return (
      <div className={styles['failure']}>
        <p>
          <ExactText text={words.stepFailed(nameOf(failedStep.name))} />
          <span className={styles['exact']}>
            <LongText text={failedStep.message} />
          </span>
        </p>
        {failed !== null && !isShown && <Button onClick={() => address.showStep(failed)}>{words.showStep}</Button>}
      </div>
    );
  if (wait) return <p className={styles['waiting']}>{sentence(waitWords(wait, Date.now()), wait.reason)}</p>;
  if (statusReason !== null)
    return <p className={styles[run.status === 'STOPPED' ? 'note' : 'failure']}>{statusReason}</p>;
  return null;
}

/** A reason that a rule of the flow gives is a sentence already. */
const sentence = (text: string, reason?: string): string => (reason === undefined ? `The run ${text}.` : text);
