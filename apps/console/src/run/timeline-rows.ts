import {
  firstFailed,
  iterationPath,
  iterationsOf,
  pathOf,
  statusOf,
  type StepResult,
  type StepResults,
  type StepStatus,
} from './step-results';

/** One line of the timeline: a step, or the choice of the iteration of the loop above it. */
export type TimelineRow = StepRow | IterationRow;

export interface StepRow {
  kind: 'step';
  path: string;
  name: string;
  type: StepResult['type'];
  status: StepStatus;
  /** When the step began, in milliseconds of the epoch; null when its record does not say so. */
  beganAt: number | null;
  durationMs: number;
  waitedMs: number;
  attempts: number;
  /** How many loops are around the step. */
  depth: number;
}

export interface IterationRow {
  kind: 'iteration';
  /** The path of the loop. */
  path: string;
  name: string;
  depth: number;
  count: number;
  /** The iteration that is shown, from 0. */
  index: number;
  firstFailed: number | null;
}

/**
 * Returns the timeline in the order in which the steps ran. Of each loop one iteration is shown: that of one of the
 * chosen places, or else the first that failed, or else the first.
 */
export function timelineRows(steps: StepResults, chosen: readonly string[], parent = '', depth = 0): TimelineRow[] {
  return Object.entries(steps).flatMap(([name, result]) => {
    const path = pathOf(parent, name);
    const row: StepRow = {
      kind: 'step',
      path,
      name,
      type: result.type,
      status: statusOf(result),
      beganAt: result.startTime === undefined ? null : Date.parse(result.startTime),
      durationMs: result.duration,
      waitedMs: result.waited ?? 0,
      attempts: result.attempts ?? 1,
      depth,
    };
    return [row, ...iterationRows(result, { path, name, depth, chosen })];
  });
}

interface Loop {
  path: string;
  name: string;
  depth: number;
  chosen: readonly string[];
}

function iterationRows(result: StepResult, { path, name, depth, chosen }: Loop): TimelineRow[] {
  const iterations = iterationsOf(result);
  if (iterations.length === 0) return [];
  const failed = firstFailed(iterations);
  const index = Math.min(chosenIteration(path, chosen) ?? failed ?? 0, iterations.length - 1);
  const inside = timelineRows(iterations[index] ?? {}, chosen, iterationPath(path, index), depth + 1);
  const count = iterations.length;
  return [{ kind: 'iteration', path, name, depth: depth + 1, count, index, firstFailed: failed }, ...inside];
}

/** The iteration of a loop that one of the places is in, or null. */
export function chosenIteration(loop: string, chosen: readonly string[]): number | null {
  const inside = chosen.find((path) => path.startsWith(`${loop}[`));
  return inside === undefined ? null : Number.parseInt(inside.slice(loop.length + 1), 10);
}

/** The same place in another iteration of a loop around it; the place itself when it is elsewhere. */
export function inIteration(path: string, loop: string, index: number): string {
  if (!path.startsWith(`${loop}[`)) return path;
  return iterationPath(loop, index) + path.slice(path.indexOf(']', loop.length) + 1);
}
