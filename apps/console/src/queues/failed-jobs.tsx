import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { Button } from '../controls/button';
import { ConfirmDialog } from '../controls/confirm-dialog';
import { Loading } from '../controls/loading';
import { Moment } from '../controls/moment';
import { Problem } from '../controls/problem';
import { Table } from '../controls/table';
import { failedJobsQuery, retryJob, type FailedJob } from './queue-queries';
import styles from './queues-page.module.css';
import { words } from './words';

const COLUMNS = [words.job, words.when, words.attempts, words.why, words.whatToDo, words.runs, words.actions];

/** The jobs that the queues gave up: why, what they were about, and what can be done. */
export function FailedJobs() {
  const { data, error, refetch } = useQuery(failedJobsQuery);
  const [retried, setRetried] = useState<FailedJob | null>(null);
  return (
    <section className={styles['section']} aria-label={words.failed}>
      <h2>{words.failed}</h2>
      <p className={styles['quiet']}>{words.failedSays}</p>
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.data.length === 0 && <p>{words.noFailed}</p>}
      {data && data.data.length > 0 && (
        <Table name={words.failed} columns={COLUMNS}>
          {data.data.map((job) => (
            <JobRow key={`${job.queue} ${job.id}`} job={job} onRetry={() => setRetried(job)} />
          ))}
        </Table>
      )}
      {retried && (
        <ConfirmDialog
          title={words.retryTitle}
          verb={words.retryNow}
          onConfirm={() => retryJob(retried.id)}
          onClose={() => setRetried(null)}
        >
          <p>{words.retrySays}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

const JobRow = ({ job, onRetry }: { job: FailedJob; onRetry: () => void }) => (
  <tr>
    <td>
      {job.kind} <code>{job.id}</code>
    </td>
    <td>{job.failedAt !== null && <Moment at={job.failedAt} />}</td>
    <td>{job.attempts}</td>
    <td>{job.reason}</td>
    <td>{job.whatToDo}</td>
    <td>
      <span className={styles['runs']}>
        {job.runs.map(({ id }) => (
          <Link key={id} to={`/runs/${id}`}>
            {id}
          </Link>
        ))}
      </span>
    </td>
    <td>
      <Button onClick={onRetry}>{words.retry}</Button>
    </td>
  </tr>
);
