import { useMemo, useState } from 'react';
import { ExactText } from '../controls/exact-text';
import { Button } from '../controls/button';
import styles from './run-page.module.css';
import type { RunDetail } from './run-queries';
import { logsOf, placeOf } from './step-results';
import type { RunAddress } from './use-run-address';
import { words } from './words';

const LINES_AT_ONCE = 500;

interface RunLogsProps {
  run: RunDetail;
  address: RunAddress;
  nameOf: (step: string) => string;
}

/** What the steps wrote, line by line, each with a way to its step. */
export function RunLogs({ run, address, nameOf }: RunLogsProps) {
  const [limit, setLimit] = useState(LINES_AT_ONCE);
  const { lines, hasMore } = useMemo(() => logsOf(run.steps ?? {}, limit), [run.steps, limit]);
  if (lines.length === 0) return <p>{words.noLogs}</p>;
  return (
    <>
      <ol aria-label={words.logs} className={styles['logs']}>
        {lines.map(({ path, name, text }, index) => (
          <li key={index}>
            <button type="button" className={styles['logStep']} onClick={() => address.showStep(path)}>
              <ExactText text={[nameOf(name), ...iterationsIn(path)].join(' ')} />
            </button>
            <span className={styles['exact']}>
              <ExactText text={text} />
            </span>
          </li>
        ))}
      </ol>
      {hasMore && <Button onClick={() => setLimit(limit + LINES_AT_ONCE)}>{words.moreLogs}</Button>}
    </>
  );
}

const iterationsIn = (path: string): number[] => placeOf(path).iterations.map((index) => index + 1);
