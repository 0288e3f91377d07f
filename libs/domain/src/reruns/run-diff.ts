import { isDeepStrictEqual } from 'node:util';
import { stepNameOf } from '../journal/step-path';
import type { FlowRun } from '../runs/flow-run';
import { RecordedRun } from '../journal/recorded-run';
import { payloadText, type RunPayload } from '../runs/run-payload';
import type { RecordedStep } from '../journal/step-record';

// What happened otherwise in one run than in another.
//
// D1. A step is known by its path: the same step in another iteration is another one.
// D2. How long a step took is told of steps that differ, and makes no difference by itself.
// D3. An answer stays small, whatever the runs hold: large values are cut, and differences past a number only counted.

const MOST_DIFFERENCES = 200;
/** Of a value as JSON text, in characters. */
const MOST_OF_VALUE = 4_000;
const BEGINNING_OF_VALUE = 1_000;

/** A side is absent when it has no such thing. */
export interface FieldDifference {
  before?: unknown;
  after?: unknown;
  /** The sides that were too large to show: they are the beginning of their JSON text. */
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
  /** Present when the runs executed two versions: their ids. */
  flowVersionId?: { before: string; after: string };
  /** Present when the triggers gave two payloads. */
  trigger?: FieldDifference;
  /** How many steps went alike. */
  same: number;
  /** In the order of the first run, then of the second. */
  differences: StepDifference[];
  /** How many more differences there are than are shown. */
  more: number;
}

/** A run whose data is there and can be read. */
export interface ComparedRun {
  run: FlowRun;
  data: { payload: RunPayload; recorded: readonly RecordedStep[] };
}

/** What turns run `a` into run `b`. */
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

/** A large output stands in a file, which each run has for itself: its size has to do. */
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
