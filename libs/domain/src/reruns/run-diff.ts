import { isDeepStrictEqual } from 'node:util';
import { stepNameOf } from '../journal/step-path';
import type { FlowRun } from '../runs/flow-run';
import { RecordedRun } from '../journal/recorded-run';
import { payloadText, type RunPayload } from '../journal/run-payload';
import type { RecordedStep } from '../journal/step-record';

// How two runs differ.
//
// D1. A step is identified by its path: a step has a different path in each iteration.
// D2. The durations of a step are shown when the step differs, but a different duration alone is no difference.
// D3. The diff stays small, however large the runs are: large values are cut, and only a number of differences is
//     shown.

const MOST_DIFFERENCES = 200;
/** The most characters that a value may have as JSON text before it is cut. */
const MOST_OF_VALUE = 4_000;
const BEGINNING_OF_VALUE = 1_000;

/** The values of both sides. A side without the value is absent. */
export interface FieldDifference {
  before?: unknown;
  after?: unknown;
  /** The sides that were too large: each shows only the beginning of its JSON text. */
  cut?: Side[];
}

type Side = 'before' | 'after';

const COMPARED = ['status', 'type', 'input', 'output', 'errorMessage', 'attempts'] as const;

export type ComparedField = (typeof COMPARED)[number] | 'duration';

export interface StepDifference {
  path: string;
  stepName: string;
  change: 'ADDED' | 'REMOVED' | 'CHANGED';
  fields: Partial<Record<ComparedField, FieldDifference>>;
}

export interface RunDiff {
  runs: [before: FlowRun, after: FlowRun];
  /** The ids of the versions; present when the runs executed different versions. */
  flowVersionId?: { before: string; after: string };
  /** The outputs of the triggers; present when they differ. */
  trigger?: FieldDifference;
  /** How many steps do not differ. */
  same: number;
  /** The steps that differ, in the order of the first run; steps of the second run alone come last. */
  differences: StepDifference[];
  /** How many further differences are not shown. */
  more: number;
}

/** A run with readable data. */
export interface ComparedRun {
  run: FlowRun;
  data: { payload: RunPayload; recorded: readonly RecordedStep[] };
}

/** The differences from run `a` to run `b`. */
export function diffRuns(a: ComparedRun, b: ComparedRun): RunDiff {
  const before = resultsByPath(a);
  const after = resultsByPath(b);
  const differences: StepDifference[] = [];
  let same = 0;
  let found = 0;
  const note = (path: string): void => {
    const [one, other] = [before.get(path), after.get(path)];
    if (one && other && COMPARED.every((field) => isDeepStrictEqual(valueOf(one, field), valueOf(other, field))))
      same++;
    else if (++found <= MOST_DIFFERENCES) differences.push(differenceAt(path, one, other));
  };
  for (const path of before.keys()) note(path);
  for (const path of after.keys()) if (!before.has(path)) note(path);
  return {
    runs: [a.run, b.run],
    ...(a.run.flowVersionId === b.run.flowVersionId
      ? {}
      : { flowVersionId: { before: a.run.flowVersionId, after: b.run.flowVersionId } }),
    ...triggerDifference(JSON.parse(payloadText(a.data.payload)), JSON.parse(payloadText(b.data.payload))),
    same,
    differences,
    more: found - differences.length,
  };
}

const resultsByPath = ({ data }: ComparedRun): Map<string, RecordedStep> =>
  new Map(new RecordedRun(data.recorded).lastOfEachPath().map((record) => [record.path, record]));

function triggerDifference(before: unknown, after: unknown): Pick<RunDiff, 'trigger'> {
  return isDeepStrictEqual(before, after) ? {} : { trigger: fieldDifference(before, after) };
}

function differenceAt(path: string, before: RecordedStep | undefined, after: RecordedStep | undefined): StepDifference {
  const fields: StepDifference['fields'] = {};
  for (const field of [...COMPARED, 'duration'] as const) {
    const [one, other] = [valueOf(before, field), valueOf(after, field)];
    if (!isDeepStrictEqual(one, other)) fields[field] = fieldDifference(one, other);
  }
  return {
    path,
    stepName: stepNameOf(path),
    change: before ? (after ? 'CHANGED' : 'REMOVED') : 'ADDED',
    fields,
  };
}

/** An offloaded output is compared by its size alone, because each run has a file of its own. */
function valueOf(step: RecordedStep | undefined, field: ComparedField): unknown {
  if (field === 'output' && step?.outputFile) return { bytes: step.outputFile.bytes };
  return step?.[field];
}

function fieldDifference(before: unknown, after: unknown): FieldDifference {
  const difference: FieldDifference = {};
  const cut: Side[] = [];
  for (const [side, value] of [
    ['before', before],
    ['after', after],
  ] as const) {
    if (value === undefined) continue;
    const text = JSON.stringify(value);
    if (text.length <= MOST_OF_VALUE) {
      difference[side] = value;
      continue;
    }
    difference[side] = text.slice(0, BEGINNING_OF_VALUE);
    cut.push(side);
  }
  return cut.length > 0 ? { ...difference, cut } : difference;
}
