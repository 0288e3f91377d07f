import { useId } from 'react';
import { Link, useSearchParams } from 'react-router';
import { ExactText } from '../../controls/exact-text';
import { ValuePair } from '../../value-diff/value-pair';
import type { RunDiff, StepDifference } from './compare-queries';
import styles from './compare-page.module.css';
import { changeWords, fieldsOf, placeWords, type ComparedField } from './difference-words';
import { words } from './words';

interface StepDifferencesProps {
  diff: RunDiff;
  nameOf: (step: string) => string;
}

/** The steps that differ. One is open, the first unless the address says another. */
export function StepDifferences({ diff: { differences, runs }, nameOf }: StepDifferencesProps) {
  const [search, setSearch] = useSearchParams();
  const open = search.get('step') ?? differences[0]?.path;
  const toggle = (path: string) => setSearch({ step: path === open ? '' : path }, { replace: true });
  return (
    <ol className={styles['differences']}>
      {differences.map((difference) => (
        <li key={difference.path}>
          <Difference
            {...{ difference, nameOf }}
            runs={runs}
            isOpen={difference.path === open}
            onToggle={() => toggle(difference.path)}
          />
        </li>
      ))}
    </ol>
  );
}

interface DifferenceProps {
  difference: StepDifference;
  runs: readonly { id: string }[];
  nameOf: (step: string) => string;
  isOpen: boolean;
  onToggle: () => void;
}

function Difference({ difference, runs, nameOf, isOpen, onToggle }: DifferenceProps) {
  const id = useId();
  const { path, change } = difference;
  const run = runs[change === 'REMOVED' ? 0 : 1];
  return (
    <>
      <button
        type="button"
        className={styles['step']}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={onToggle}
      >
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
        <span className={styles['stepName']}>
          <ExactText text={placeWords(path, nameOf)} />
        </span>
        <span className={styles['quiet']}>{changeWords(difference)}</span>
      </button>
      {isOpen && (
        <div id={id} className={styles['fields']}>
          {fieldsOf(difference).map((field) => (
            <FieldPair key={field.name} {...field} />
          ))}
          {run && (
            <Link to={`/runs/${run.id}?${new URLSearchParams({ step: path }).toString()}`}>{words.openStep}</Link>
          )}
        </div>
      )}
    </>
  );
}

/** One part of both runs beside each other. */
export const FieldPair = ({ name, left, right, isCut }: ComparedField) => (
  <div role={name === null ? undefined : 'group'} aria-label={name ?? undefined}>
    {name !== null && <h3 className={styles['field']}>{name}</h3>}
    <ValuePair {...{ left, right }} />
    {isCut && <p className={styles['quiet']}>{words.cut}</p>}
  </div>
);
