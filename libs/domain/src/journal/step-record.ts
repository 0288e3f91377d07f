import type { References } from '../connections/value-references';
import type { RunEffects } from './step-effects';
import type { StepPath } from './step-path';
import type { StepWait } from './step-wait';
import type { JsonText } from '../json/json-text';

export type StepResultType = 'ACTION' | 'CODE' | 'LOOP_ON_ITEMS' | 'ROUTER';
export type StepResultStatus = 'SUCCEEDED' | 'FAILED' | 'PAUSED' | 'RUNNING' | 'STOPPED';

/** The file of an offloaded output, which is too large for the journal. */
export interface OutputFile {
  fileId: string;
  bytes: number;
  /** The values of connections that the file refers to. */
  references?: References;
}

interface StepRecordBase {
  path: StepPath;
  type: StepResultType;
  status: StepResultStatus;
  /** How long the step executed, in milliseconds. */
  duration: number;
  /**
   * How long after the begin of the run the step began, in milliseconds. Absent in records of releases before this
   * member, and in those that a run took over from another one.
   */
  startedAfter?: number;
  /** How long the step did not execute between its begin and this record, in milliseconds; absent when it always did. */
  waited?: number;
  errorMessage?: string;
  /** How often the step was tried; absent for 1. */
  attempts?: number;
  /** When the next attempt is due, in ISO 8601: only in a RUNNING or PAUSED step whose last attempt failed. */
  retryAt?: string;
  /** The wait of a PAUSED step for its next attempt. `wait`, if present, is then an earlier wait of the step. */
  retryWait?: StepWait;
  /** Present while the step waits, and after the end of the wait until the step has finished. */
  wait?: StepWait;
  effects?: RunEffects;
  /** Stands in place of a large `output`. */
  outputFile?: OutputFile;
  /** The lines that the step wrote with `console.*`. */
  logs?: string[];
  /** The values of connections to which the input and the output refer. */
  references?: RecordReferences;
}

export interface RecordReferences {
  /** Only of a loop, because the items of a loop are read again. */
  input?: References;
  output?: References;
}

/** A record before it is written. Input and output are JSON text already, so that they are made into text only once. */
export interface StepRecord extends StepRecordBase {
  input?: JsonText;
  output?: JsonText;
}

/** A record that was read from the journal. */
export interface RecordedStep extends StepRecordBase {
  input?: unknown;
  output?: unknown;
}

type WithStatus = Pick<StepRecordBase, 'status'>;

/** Whether the step has ended by itself. A finished step is not executed again. */
export const isFinished = ({ status }: WithStatus): boolean => status === 'SUCCEEDED' || status === 'FAILED';

/** Whether the record counts towards the run's `stepsCount`. */
export const countsAsStep = ({ status }: WithStatus): boolean =>
  status === 'SUCCEEDED' || status === 'FAILED' || status === 'PAUSED';

export const isLoop = ({ type }: Pick<StepRecordBase, 'type'>): boolean => type === 'LOOP_ON_ITEMS';

/** The items in the record of a loop; undefined when the record has none. */
export function itemsOnRecord({ input }: Pick<RecordedStep, 'input'>): readonly unknown[] | undefined {
  const items = (input as { items?: unknown } | null | undefined)?.items;
  return Array.isArray(items) ? items : undefined;
}
