import type { TriggerKind } from '../trigger-kind';
import { iterationAround, loopOf, OUTSIDE_LOOPS, stepNameOf, type IterationPrefix, type StepPath } from './step-path';
import {
  isFinished,
  type OutputFile,
  type RecordedStep,
  type StepResultStatus,
  type StepResultType,
} from './step-record';

export interface TriggerResult {
  type: TriggerKind;
  output: unknown;
  duration: number;
}

export interface StepResult {
  type: StepResultType;
  input: unknown;
  output: unknown;
  status: StepResultStatus;
  duration: number;
  /** When the step began; absent when the record does not say so. */
  startTime?: Date;
  waited?: number;
  errorMessage?: string;
  attempts?: number;
  /** The file of an offloaded output, which is too large to be shown here. */
  outputFile?: OutputFile;
  logs?: string[];
}

/** The `steps` of a run as the interface shows them. A loop contains one such map for each iteration. */
export type StepResults = Record<string, StepResult>;

interface RunOfResults {
  /** Whether a step that has not finished is shown as STOPPED. */
  runHasEnded?: boolean;
  /** When the run began. Without it, results do not say when their steps began. */
  startTime?: Date | null;
}

/** Builds the nested map from the flat journal. A later record of a path replaces an earlier one. */
export function stepResults(
  records: Iterable<RecordedStep>,
  { runHasEnded = false, startTime = null }: RunOfResults = {},
): StepResults {
  const root: StepResults = {};
  const loops = new Map<StepPath, StepResults[]>();
  const loopsUnderWay: StepResult[] = [];
  for (const record of records) {
    const iteration = iterationAround(record.path);
    const target = iteration === OUTSIDE_LOOPS ? root : resultsOf(loops, iteration);
    const { path, input, output, type, status, duration, errorMessage, attempts, outputFile, logs } = record;
    const result: StepResult = {
      type,
      input: input ?? null,
      output: output ?? null,
      status: runHasEnded && !isFinished(record) ? 'STOPPED' : status,
      duration,
      ...(startTime && timesOf(record, startTime)),
      ...(errorMessage !== undefined && { errorMessage }),
      ...(attempts !== undefined && { attempts }),
      ...(outputFile && { outputFile }),
      ...(logs && { logs }),
    };
    if (type === 'LOOP_ON_ITEMS') result.output = { ...(output as object), iterations: iterationsSoFar(loops, record) };
    if (type === 'LOOP_ON_ITEMS' && status === 'RUNNING') loopsUnderWay.push(result);
    setOwn(target, stepNameOf(path), result);
  }
  loopsUnderWay.forEach(moveToLastIteration);
  return root;
}

const timesOf = ({ startedAfter, waited }: RecordedStep, runBegan: Date) => ({
  ...(startedAfter !== undefined && { startTime: new Date(runBegan.getTime() + startedAfter) }),
  ...(waited !== undefined && { waited }),
});

/** The record of a loop under way shows the item at its begin or at its first wait, so the last item is set here. */
function moveToLastIteration(loop: StepResult): void {
  const { iterations } = loop.output as { iterations: readonly StepResults[] };
  const items = (loop.input as { items?: unknown } | null)?.items;
  const index = iterations.length;
  if (index > 0 && Array.isArray(items)) loop.output = { item: items[index - 1] as unknown, index, iterations };
}

/**
 * The iterations include those in which no step was executed: the record of a loop has the index of its last iteration,
 * counting from 1.
 */
function iterationsSoFar(loops: Map<StepPath, StepResults[]>, { path, output }: RecordedStep): StepResults[] {
  const iterations = iterationsOf(loops, path);
  const { index } = (output ?? {}) as { index?: unknown };
  if (typeof index === 'number') addUpTo(index, iterations);
  return iterations;
}

function iterationsOf(loops: Map<StepPath, StepResults[]>, loopPath: StepPath): StepResults[] {
  let iterations = loops.get(loopPath);
  if (!iterations) loops.set(loopPath, (iterations = []));
  return iterations;
}

function resultsOf(loops: Map<StepPath, StepResults[]>, iteration: IterationPrefix): StepResults {
  const { loop, index } = loopOf(iteration);
  const iterations = iterationsOf(loops, loop);
  addUpTo(index + 1, iterations);
  return iterations[index] as StepResults;
}

function addUpTo(count: number, iterations: StepResults[]): void {
  while (iterations.length < count) iterations.push({});
}

/** A step may have the name `__proto__`: a plain assignment would change the prototype. */
function setOwn(target: StepResults, name: string, value: StepResult): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
