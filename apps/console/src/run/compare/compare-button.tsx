import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { Link, useNavigate } from 'react-router';
import { Button } from '../../controls/button';
import { Dialog, DialogActions } from '../../controls/dialog';
import { TextField } from '../../controls/field';
import { Moment } from '../../controls/moment';
import { Problem } from '../../controls/problem';
import { RunStatus } from '../../run-status/run-status';
import type { Run } from '../../run-status/run-words';
import { lastGoodRunQuery, runQuery, type RunDetail } from '../run-queries';
import styles from './compare-page.module.css';
import { words } from './words';

/** Offers the runs that one would compare a run with. */
export function CompareButton({ run }: { run: RunDetail }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{words.compare}</Button>
      {isOpen && <CompareDialog run={run} onClose={() => setOpen(false)} />}
    </>
  );
}

function CompareDialog({ run, onClose }: { run: RunDetail; onClose: () => void }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const open = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() !== '') void navigate(addressOf(typed.trim(), run.id));
  };
  return (
    <Dialog title={words.compareWith} isOpen onClose={onClose}>
      <ul className={styles['choices']}>
        <RetriedRun run={run} />
        <LastGoodRun run={run} />
      </ul>
      <form onSubmit={open} className={styles['other']}>
        <TextField label={words.otherId} value={typed} onChange={({ target }) => setTyped(target.value)} />
        <Button type="submit">{words.compareRuns}</Button>
      </form>
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
      </DialogActions>
    </Dialog>
  );
}

function RetriedRun({ run: { id, retryOfRunId } }: { run: RunDetail }) {
  const { data, error } = useQuery({ ...runQuery(retryOfRunId ?? ''), enabled: retryOfRunId !== null });
  if (retryOfRunId === null) return null;
  return (
    <li>
      {words.retried} {error && <Problem error={error} />}
      {data && <RunLink run={data} to={addressOf(data.id, id)} />}
    </li>
  );
}

function LastGoodRun({ run }: { run: RunDetail }) {
  const { data, error } = useQuery(lastGoodRunQuery(run));
  if (error)
    return (
      <li>
        <Problem error={error} />
      </li>
    );
  if (data === undefined) return null;
  return (
    <li>
      {data === null ? (
        words.noneGood
      ) : (
        <>
          {words.lastGood} <RunLink run={data} to={addressOf(data.id, run.id)} />
        </>
      )}
    </li>
  );
}

const RunLink = ({ run: { status, created }, to }: { run: Run; to: string }) => (
  <>
    <Link to={to}>
      <Moment at={created} />
    </Link>{' '}
    <RunStatus status={status} />
  </>
);

/** The earlier run is on the left. */
const addressOf = (earlier: string, later: string): string => `/runs/${encodeURIComponent(earlier)}/compare/${later}`;
