import type { TriggerKind } from '../trigger-kind';
import {
  isInside,
  iterationAround,
  iterationPrefix,
  parsePath,
  pathFrom,
  pathIn,
  stepNameOf,
  type StepPath,
} from './step-path';
import type { RecordedStep, StepResultStatus, StepResultType } from './step-record';
import type { StepResult, StepResults } from './step-results';

// What a run did without its data, so that a run of many iterations can be shown in parts.
//
// S1. A place is '' for the steps that are in no loop, `orders[2]` for those of an iteration, and `orders` for the
//     iterations of a loop.
// S2. Of several steps together, the status is the one that a person should look at first.

/** A place that a run has, as S1 describes it. */
export type Place = string;

export interface StepSummary {
  /** The path of the step. Of an iteration it is its place. */
  path: StepPath;
  type: StepResultType | TriggerKind | 'ITERATION';
  status: StepResultStatus;
  /** How long it executed, in milliseconds. Of an iteration it is the sum of its steps. */
  duration: number;
  startTime?: Date;
  waited?: number;
  attempts?: number;
  /** Only of a loop. */
  iterations?: IterationCounts;
  /** How many steps the iteration has come to, without those in loops inside it. */
  steps?: number;
}

export interface IterationCounts {
  count: number;
  failed: number;
  /** The index of the first iteration that failed, from 0; null when none did. */
  firstFailed: number | null;
}

/** What one step did in all iterations together. */
export interface StepTotals {
  stepName: string;
  type: StepResultType;
  /** How often the run came to it. */
  count: number;
  status: StepResultStatus;
  duration: number;
  /** Only of a loop: how many iterations it has begun. */
  iterations?: number;
  /** Only of a router. */
  branches?: BranchTotals[];
}

export interface BranchTotals {
  branchName: string;
  /** How often the conditions of the branch were met. */
  met: number;
  /** How often it was the first branch whose conditions were met. */
  first: number;
}

/** From the status that hides the others to the one that all others hide. */
const STATUSES: readonly StepResultStatus[] = ['FAILED', 'STOPPED', 'PAUSED', 'RUNNING', 'SUCCEEDED'];

/** The record with only what summaries are made of. */
export function withoutData(record: RecordedStep): RecordedStep {
  const { path, type, status, duration, startedAfter, waited, attempts } = record;
  return {
    ...{ path, type, status, duration },
    ...(startedAfter !== undefined && { startedAfter }),
    ...(waited !== undefined && { waited }),
    ...(attempts !== undefined && { attempts }),
    ...outlineOf(record),
  };
}

/** Of the output, how many iterations a loop has, and which branches a router took. */
function outlineOf({ type, output }: RecordedStep): Pick<RecordedStep, 'output'> {
  if (type === 'LOOP_ON_ITEMS') return { output: { index: (output as { index?: unknown } | null | undefined)?.index } };
  return type === 'ROUTER' ? { output: { branches: branchesIn(output) } } : {};
}

/**
 * The record as a reader of one step needs it: with its data, or only counted when it is inside the step. Its path begins
 * at the step, because there are no records of the loops around it.
 */
export function recordFor(step: StepPath, record: RecordedStep): RecordedStep | null {
  const kept = record.path === step ? record : isInside(record.path, step) ? withoutData(record) : null;
  return kept && { ...kept, path: pathFrom(iterationAround(step), kept.path) };
}

/** Returns the result of a step from the results of its records; undefined when the run has not come to it. */
export const resultOf = (step: StepPath, results: StepResults): StepResult | undefined =>
  own(results, stepNameOf(step));

/** Returns what there is at a place, in the order in which it ran; nothing when the run has not come to it. */
export function summariesAt(results: StepResults, place: Place): StepSummary[] {
  if (place === '' || place.endsWith(']')) {
    const around = place === '' ? '' : `${place}.`;
    const found = resultsAround(results, pathIn(around, ''));
    return Object.entries(found ?? {}).map(([name, result]) => summaryOf(pathIn(around, name), result));
  }
  const loop = resultAt(results, place);
  return loop ? iterationsOf(loop).map((steps, index) => iterationSummary(place, index, steps)) : [];
}

function resultAt(results: StepResults, path: StepPath): StepResult | undefined {
  const found = resultsAround(results, path);
  return found && own(found, stepNameOf(path));
}

/** What a loop gave, without the steps of its iterations. */
export function withoutIterations(result: StepResult): StepResult {
  if (result.type !== 'LOOP_ON_ITEMS') return result;
  const { iterations: _iterations, ...output } = result.output as { iterations: unknown };
  return { ...result, output };
}

/** Returns the totals of each step, in the order in which the run came to them. */
export function totalsOf(results: StepResults): StepTotals[] {
  const found = new Map<string, StepTotals>();
  addTotals(results, found);
  return [...found.values()];
}

function addTotals(results: StepResults, found: Map<string, StepTotals>): void {
  for (const [stepName, result] of Object.entries(results)) {
    const { type, status, duration, output } = result;
    const iterations = iterationsOf(result);
    const one: StepTotals = {
      ...{ stepName, type, count: 1, status, duration },
      ...(type === 'LOOP_ON_ITEMS' && { iterations: iterations.length }),
      ...(type === 'ROUTER' && { branches: branchTotals(branchesIn(output)) }),
    };
    const before = found.get(stepName);
    found.set(stepName, before ? sumOf(before, one) : one);
    for (const inside of iterations) addTotals(inside, found);
  }
}

function sumOf(one: StepTotals, other: StepTotals): StepTotals {
  const { iterations, branches } = one;
  return {
    ...one,
    count: one.count + other.count,
    status: worstOf([one.status, other.status]),
    duration: one.duration + other.duration,
    ...(iterations !== undefined && { iterations: iterations + (other.iterations ?? 0) }),
    ...(branches && { branches: sumOfBranches(branches, other.branches ?? []) }),
  };
}

const sumOfBranches = (some: readonly BranchTotals[], others: readonly BranchTotals[]): BranchTotals[] =>
  (some.length < others.length ? others : some).map(({ branchName }, index) => ({
    branchName,
    met: (some[index]?.met ?? 0) + (others[index]?.met ?? 0),
    first: (some[index]?.first ?? 0) + (others[index]?.first ?? 0),
  }));

interface Branch {
  branchName: string;
  evaluation: boolean;
}

function branchTotals(branches: readonly Branch[]): BranchTotals[] {
  const first = branches.findIndex(({ evaluation }) => evaluation);
  return branches.map(({ branchName, evaluation }, index) => ({
    branchName,
    met: evaluation ? 1 : 0,
    first: index === first ? 1 : 0,
  }));
}

function branchesIn(output: unknown): Branch[] {
  const { branches } = (output ?? {}) as { branches?: readonly Partial<Branch>[] };
  return (branches ?? []).map(({ branchName = '', evaluation }) => ({ branchName, evaluation: evaluation === true }));
}

function summaryOf(path: StepPath, result: StepResult): StepSummary {
  const { type, status, duration, startTime, waited, attempts } = result;
  return {
    ...{ path, type, status, duration },
    ...(startTime && { startTime }),
    ...(waited !== undefined && { waited }),
    ...(attempts !== undefined && { attempts }),
    ...(type === 'LOOP_ON_ITEMS' && { iterations: countsOf(iterationsOf(result)) }),
  };
}

function iterationSummary(loop: StepPath, index: number, steps: StepResults): StepSummary {
  const results = Object.values(steps);
  const times = results.flatMap(({ startTime }) => (startTime ? [startTime.getTime()] : []));
  return {
    path: iterationPrefix(loop, index).slice(0, -1),
    type: 'ITERATION',
    status: worstOf(results.map(({ status }) => status)),
    duration: results.reduce((sum, { duration }) => sum + duration, 0),
    ...(times.length > 0 && { startTime: new Date(Math.min(...times)) }),
    steps: results.length,
  };
}

function countsOf(iterations: readonly StepResults[]): IterationCounts {
  const failed = iterations.flatMap((steps, index) => (hasFailed(steps) ? [index] : []));
  return { count: iterations.length, failed: failed.length, firstFailed: failed[0] ?? null };
}

const hasFailed = (steps: StepResults): boolean => Object.values(steps).some(({ status }) => status === 'FAILED');

const worstOf = (statuses: readonly StepResultStatus[]): StepResultStatus =>
  STATUSES.find((each) => statuses.includes(each)) ?? 'SUCCEEDED';

/** The results of the iteration that the step is in. */
function resultsAround(results: StepResults, path: StepPath): StepResults | undefined {
  let found: StepResults | undefined = results;
  for (const { name, index } of parsePath(path).loops) {
    const loop: StepResult | undefined = found && own(found, name);
    found = loop && iterationsOf(loop)[index];
  }
  return found;
}

const own = (results: StepResults, name: string): StepResult | undefined =>
  Object.hasOwn(results, name) ? results[name] : undefined;

const iterationsOf = ({ type, output }: StepResult): readonly StepResults[] =>
  type === 'LOOP_ON_ITEMS' ? (output as { iterations: StepResults[] }).iterations : [];
