import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Button } from '../controls/button';
import { Problem } from '../controls/problem';
import { isInParts } from './run-parts';
import styles from './run-page.module.css';
import { wholeRunQuery, type RunDetail } from './run-queries';
import { words } from './words';

/** More is not loaded: the page would have to hold it several times. */
const MOST_LOADED_BYTES = 25_000_000;

/** Shows what needs all steps. When they are large, they are loaded when somebody asks for them. */
export function WholeRun({ run, children }: { run: RunDetail; children: (run: RunDetail) => ReactNode }) {
  const [isWanted, setWanted] = useState(false);
  const { data, error, refetch } = useQuery({ ...wholeRunQuery(run), enabled: isWanted });
  if (!isInParts(run)) return children(run);
  if (data) return children(data);
  const { stepsBytes = 0 } = run;
  const isLoadable = stepsBytes <= MOST_LOADED_BYTES;
  return (
    <div className={styles['file']}>
      <p>
        {words.stepsAreLarge(stepsBytes)} {isLoadable ? '' : words.stepsTooLarge}
      </p>
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {isWanted && !error && <p role="status">{words.loading}</p>}
      {isLoadable && !isWanted && (
        <div>
          <Button onClick={() => setWanted(true)}>{words.loadOutput(stepsBytes)}</Button>
        </div>
      )}
    </div>
  );
}
