import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Button } from '../controls/button';
import { ExactText } from '../controls/exact-text';
import { Canvas } from '../flow-picture/canvas';
import { Outline } from '../flow-picture/outline';
import { branchMarksOf, marksOfTotals, totalsOf } from '../flow-picture/run-marks';
import styles from './run-page.module.css';
import { isInParts } from './run-parts';
import { stepTotalsQuery, type RunDetail, type RunVersion } from './run-queries';
import { StepPanel } from './step-panel';
import { placeOfStep } from './step-place';
import { placeOf, resultAt, type StepResults } from './step-results';
import { IterationChoice } from './timeline';
import { timelineRows, type IterationRow } from './timeline-rows';
import type { RunAddress } from './use-run-address';
import { words } from './words';

interface RunCanvasProps {
  run: RunDetail;
  version: RunVersion;
  address: RunAddress;
  nameOf: (step: string) => string;
}

/** The version that ran, and on it how each step ended. While the run goes on, so does the picture. */
export function RunCanvas({ run, version, address, nameOf }: RunCanvasProps) {
  const { trigger } = version;
  const steps = useMemo(() => run.steps ?? {}, [run.steps]);
  const totals = useTotals(run, steps, trigger.name);
  const marks = useMemo(() => marksOfTotals(totals), [totals]);
  const branches = useMemo(() => branchMarksOf(totals, trigger), [totals, trigger]);
  const selected = address.step === null ? null : placeOf(address.step).name;
  const select = (name: string) => address.chooseStep(placeOfStep(steps, name, address.places) ?? name);
  const picture = { trigger, selected, onSelect: select, marks, branches };
  return (
    <div className={styles['pictureRoom']}>
      <div className={styles['picture']}>
        <div className={styles['outline']}>
          <Outline {...picture} />
        </div>
        <Canvas {...picture} isFitted />
        {address.step !== null && (
          <div className={styles['beside']}>
            <Loops {...{ run, address, path: address.step }} />
            {resultAt(steps, address.step) ? (
              <StepPanel key={selected} path={address.step} {...{ run, version, address, nameOf, steps }} />
            ) : (
              <NotReached
                name={nameOf(placeOf(address.step).name)}
                isReachedElsewhere={marks.has(placeOf(address.step).name)}
                onClose={() => address.chooseStep(null)}
              />
            )}
          </div>
        )}
      </div>
    </div>
  );
}

/** The choice of the iteration of each loop around the step. */
function Loops({ run, address, path }: { run: RunDetail; address: RunAddress; path: string }) {
  const around = timelineRows(run.steps ?? {}, address.places).filter(
    (row): row is IterationRow => row.kind === 'iteration' && path.startsWith(`${row.path}[`),
  );
  return around.map((row) => (
    <IterationChoice key={row.path} row={row} onChoose={(index) => address.chooseIteration(row.path, index)} />
  ));
}

/** What each step did in all iterations. Of a large run it is asked for. */
function useTotals(run: RunDetail, steps: StepResults, trigger: string) {
  const { data } = useQuery({ ...stepTotalsQuery(run), enabled: isInParts(run), placeholderData: keepPreviousData });
  return useMemo(() => {
    if (!isInParts(run)) return totalsOf(steps);
    return data ? [{ ...OF_TRIGGER, stepName: trigger }, ...data] : [];
  }, [run, steps, trigger, data]);
}

const OF_TRIGGER = { count: 1, status: 'SUCCEEDED', duration: 0 } as const;

interface NotReachedProps {
  name: string;
  /** Whether the run came to the step in another iteration. */
  isReachedElsewhere: boolean;
  onClose: () => void;
}

const NotReached = ({ name, isReachedElsewhere, onClose }: NotReachedProps) => (
  <aside aria-label={words.step} className={styles['panel']}>
    <header className={styles['panelHead']}>
      <h2>
        <ExactText text={name} />
      </h2>
      <Button onClick={onClose}>{words.closeStep}</Button>
    </header>
    <p>{isReachedElsewhere ? words.didNotRunHere : words.didNotRun}</p>
  </aside>
);
