import type { RunEffects } from './step-effects';
import type { StepPath } from './step-path';
import type { StepWait } from './step-wait';
import type { JsonText } from '../json/json-text';

export type StepResultType = 'ACTION' | 'CODE' | 'LOOP_ON_ITEMS' | 'ROUTER';
export type StepResultStatus = 'SUCCEEDED' | 'FAILED' | 'PAUSED' | 'RUNNING' | 'STOPPED';

/** Where an output is kept that is too large for the journal. */
export interface OutputFile {
  fileId: string;
  bytes: number;
}

interface StepRecordBase {
  path: StepPath;
  type: StepResultType;
  status: StepResultStatus;
  /** Milliseconds. */
  duration: number;
  errorMessage?: string;
  /** Only when over 1. */
  attempts?: number;
  /** Of a RUNNING or PAUSED step whose last attempt failed: ISO 8601, when the next one is due. */
  retryAt?: string;
  /** Of a PAUSED step that waits for its next attempt. Its `wait`, if it has one, is of before. */
  retryWait?: StepWait;
  /** Of a step that waits, or whose wait has ended and that has not finished since. */
  wait?: StepWait;
  effects?: RunEffects;
  /** In place of a large `output`. */
  outputFile?: OutputFile;
  /** Lines the step wrote with `console.*`. */
  logs?: string[];
}

/** A step result on its way into the journal. Input and output are JSON text already, so that they are written once. */
export interface StepRecord extends StepRecordBase {
  input?: JsonText;
  output?: JsonText;
}

/** A step result read back from the journal. */
export interface RecordedStep extends StepRecordBase {
  input?: unknown;
  output?: unknown;
}

type WithStatus = Pick<StepRecordBase, 'status'>;

/** Whether the step has ended by itself, and is not executed again. */
export const isFinished = ({ status }: WithStatus): boolean => status === 'SUCCEEDED' || status === 'FAILED';

/** Whether the record makes the step one of the run's `stepsCount`. */
export const countsAsStep = ({ status }: WithStatus): boolean =>
  status === 'SUCCEEDED' || status === 'FAILED' || status === 'PAUSED';

export const isLoop = ({ type }: Pick<StepRecordBase, 'type'>): boolean => type === 'LOOP_ON_ITEMS';

/** The items that a loop was recorded with; undefined when there are none on record. */
export function itemsOnRecord({ input }: Pick<RecordedStep, 'input'>): readonly unknown[] | undefined {
  const items = (input as { items?: unknown } | null | undefined)?.items;
  return Array.isArray(items) ? items : undefined;
}
