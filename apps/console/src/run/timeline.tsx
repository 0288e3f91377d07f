import { useId, useMemo } from 'react';
import { Button } from '../controls/button';
import { ExactText } from '../controls/exact-text';
import { durationWords } from '../controls/time-words';
import { Status, type Tone } from '../controls/status';
import { isUnfinished } from '../run-status/run-words';
import styles from './run-page.module.css';
import type { RunDetail, RunVersion } from './run-queries';
import { StepPanel } from './step-panel';
import { placeOf, type StepStatus } from './step-results';
import { timelineRows, type IterationRow, type StepRow } from './timeline-rows';
import type { RunAddress } from './use-run-address';
import { useTypedIteration } from './use-typed-iteration';
import { segmentsOf, ticksOf, timeScale, type Segment, type TimeScale } from './waterfall';
import { stepDuration, words } from './words';

const TONES: Record<StepStatus, Tone> = {
  SUCCEEDED: 'good',
  FAILED: 'bad',
  PAUSED: 'waits',
  RUNNING: 'runs',
  STOPPED: 'idle',
};
const INDENT_PX = 20;
/** Shorter waits, such as for the next worker, are seen in the bar alone. */
const LEAST_WAIT_MS = 1_000;

/** The bars stay below each other, so that they can be compared. */
const indented = (depth: number) => ({ marginInlineStart: depth * INDENT_PX });

interface TimelineProps {
  run: RunDetail;
  version?: RunVersion;
  address: RunAddress;
  nameOf: (step: string) => string;
}

/** The steps in the order in which they ran, and what the chosen one did. */
export function Timeline({ run, version, address, nameOf }: TimelineProps) {
  const places = address.places.join(' ');
  const rows = useMemo(() => timelineRows(run.steps ?? {}, places.split(' ')), [run.steps, places]);
  if (rows.length === 0) return <p>{whyEmpty(run)}</p>;
  const steps = rows.filter((row) => row.kind === 'step');
  const longest = Math.max(1, ...steps.map(({ durationMs }) => durationMs));
  const now = Date.now();
  const scale = timeScale(run, steps, now);
  const barOf = (row: StepRow) => (scale ? segmentsOf(row, scale, now) : wholeBar(row, longest));
  return (
    <div className={styles['timeline']}>
      <ol aria-label={words.timeline} className={styles['steps']}>
        {scale && <TimeAxis scale={scale} />}
        {rows.map((row) => (
          <li key={`${row.kind} ${row.path}`} style={row.kind === 'iteration' ? indented(row.depth) : undefined}>
            {row.kind === 'step' ? (
              <StepButton row={row} segments={barOf(row)} name={nameOf(row.name)} address={address} />
            ) : (
              <IterationChoice row={row} onChoose={(index) => address.chooseIteration(row.path, index)} />
            )}
          </li>
        ))}
      </ol>
      {address.step !== null && run.steps && (
        <StepPanel
          key={placeOf(address.step).name}
          path={address.step}
          {...{ run, version, address, nameOf }}
          steps={run.steps}
        />
      )}
    </div>
  );
}

function whyEmpty(run: RunDetail): string {
  if (run.stepsUnreadable !== undefined) return run.stepsUnreadable;
  return isUnfinished(run) || run.stepsCount === 0 ? words.noSteps : words.stepsGone;
}

interface StepButtonProps {
  row: StepRow;
  name: string;
  segments: readonly Segment[];
  address: RunAddress;
}

/** Of a run of an earlier release only the durations are known: the longest step has the longest bar. */
const wholeBar = ({ durationMs }: StepRow, longest: number): Segment[] => [
  { kind: 'execution', left: 0, width: (100 * durationMs) / longest },
];

const StepButton = ({ row, name, segments, address }: StepButtonProps) => (
  <button
    type="button"
    className={styles['step']}
    aria-current={address.step === row.path || undefined}
    onClick={() => address.chooseStep(address.step === row.path ? null : row.path)}
  >
    <span className={styles['stepName']} style={indented(row.depth)}>
      <ExactText text={name} />{' '}
      {row.attempts > 1 && <span className={styles['stepNote']}>{words.tries(row.attempts)}</span>}{' '}
      {row.waitedMs >= LEAST_WAIT_MS && (
        <span className={styles['stepNote']}>{words.waited(durationWords(row.waitedMs))}</span>
      )}
    </span>
    <span className={styles['stepStatus']}>
      <Status tone={TONES[row.status]} word={words.stepStatus[row.status]} />
    </span>
    <span className={styles['stepDuration']}>{stepDuration(row.durationMs)}</span>
    <span aria-hidden="true" className={styles['track']}>
      {segments.map(({ kind, left, width }) => (
        <span
          key={kind}
          className={`${styles['bar']} ${styles[kind === 'wait' ? 'waits' : TONES[row.status]]}`}
          style={{ insetInlineStart: `min(${left}%, calc(100% - 2px))`, width: `${width}%` }}
        />
      ))}
    </span>
  </button>
);

/** The time since the run was accepted, and how long it waited to begin. */
const TimeAxis = ({ scale: { totalMs, queuedMs } }: { scale: TimeScale }) => (
  <li className={styles['axis']}>
    <span aria-hidden="true" className={styles['ticks']}>
      {ticksOf(totalMs).map((ms) => (
        <span key={ms} style={{ insetInlineStart: `${(100 * ms) / totalMs}%` }}>
          {durationWords(ms)}
        </span>
      ))}
    </span>
    <span className={styles['queued']}>{words.queued(durationWords(queuedMs))}</span>
    <span aria-hidden="true" className={styles['track']}>
      <span className={`${styles['bar']} ${styles['idle']}`} style={{ width: `${(100 * queuedMs) / totalMs}%` }} />
    </span>
  </li>
);

interface IterationChoiceProps {
  row: IterationRow;
  /** Gets the iteration from 0. */
  onChoose: (index: number) => void;
}

/** Which iteration of a loop is shown. People count them from 1. */
export function IterationChoice({ row: { count, index, firstFailed }, onChoose }: IterationChoiceProps) {
  const id = useId();
  const choose = (next: number) => next >= 0 && next < count && next !== index && onChoose(next);
  const typed = useTypedIteration(count, index, choose);
  return (
    <div className={styles['iteration']}>
      <label htmlFor={id}>{words.iteration}</label>
      <Button aria-label={words.earlier} disabled={index === 0} onClick={() => choose(index - 1)}>
        ‹
      </Button>
      <input id={id} {...typed} />
      <Button aria-label={words.later} disabled={index === count - 1} onClick={() => choose(index + 1)}>
        ›
      </Button>
      <span>{words.ofIterations(count)}</span>
      {firstFailed !== null && (
        <Button disabled={firstFailed === index} onClick={() => choose(firstFailed)}>
          <span aria-hidden="true">⚑</span> {words.firstFailed}
        </Button>
      )}
    </div>
  );
}
