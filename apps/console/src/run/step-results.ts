import type { Schemas } from '../api/client';

// The results of a run are a tree: by step name, and in each loop a list of iterations with results of their own. A place
// in it is written as in the differences of runs: `loop[2].tell` is the step "tell" in the third iteration of "loop".

export type StepResult = Schemas['StepResult'];
export type StepResults = Readonly<Record<string, StepResult>>;
export type StepStatus = NonNullable<StepResult['status']>;

/** Returns the status of a result. A trigger that has not failed has none. */
export const statusOf = ({ status }: StepResult): StepStatus => status ?? 'SUCCEEDED';

/** Returns the run with its trigger as failed when a package has made no items of the request that started it. */
export function withFailedTrigger<Run extends RunWithSteps>(run: Run): Run {
  const { failedStep, steps = {} } = run;
  const result = failedStep && own(steps, failedStep.name);
  if (!failedStep || !result || result.status !== undefined) return run;
  const failed: StepResult = { ...result, status: 'FAILED', errorMessage: failedStep.message };
  return { ...run, steps: { ...steps, [failedStep.name]: failed } };
}

type RunWithSteps = Pick<Schemas['FlowRunDetail'], 'failedStep' | 'steps'>;

/** Returns the iterations of a loop; of another step none. They are not known while they are in a file. */
export function iterationsOf({ type, output }: StepResult): readonly StepResults[] {
  if (type !== 'LOOP_ON_ITEMS') return [];
  const iterations = (output as { iterations?: unknown } | null)?.iterations;
  return Array.isArray(iterations) ? (iterations as StepResults[]) : [];
}

export const pathOf = (parent: string, name: string): string => (parent === '' ? name : `${parent}.${name}`);
export const iterationPath = (loop: string, index: number): string => `${loop}[${index}]`;

/** The name of the step at a path, and the iterations around it, the outermost first and from 0. */
export function placeOf(path: string): { name: string; iterations: number[] } {
  const name = path.slice(path.lastIndexOf('.') + 1);
  return { name, iterations: [...path.matchAll(/\[(\d+)\]\./g)].map(([, index]) => Number(index)) };
}

/** Returns the result at a path; undefined when the run has none there. */
export function resultAt(steps: StepResults, path: string): StepResult | undefined {
  let results: StepResults | undefined = steps;
  const parts = path.split('.');
  const name = parts.pop() ?? '';
  for (const part of parts) {
    const [, loop = '', index = ''] = /^(.+)\[(\d+)\]$/.exec(part) ?? [];
    const result: StepResult | undefined = own(results, loop);
    results = result && iterationsOf(result)[Number(index)];
    if (!results) return undefined;
  }
  return own(results, name);
}

const own = (results: StepResults, name: string): StepResult | undefined =>
  Object.hasOwn(results, name) ? results[name] : undefined;

/** The first iteration in which a step failed, from 0; null when none did. */
export function firstFailed(iterations: readonly StepResults[]): number | null {
  const index = iterations.findIndex(hasFailed);
  return index === -1 ? null : index;
}

/** An iteration that has not begun, or has not been read, may be null. */
const hasFailed = (steps: StepResults | null): boolean =>
  Object.values(steps ?? {}).some((step) => statusOf(step) === 'FAILED');

/** The place at which the step with this name failed; null when the results do not have it. */
export function failedPath(steps: StepResults, name: string, parent = ''): string | null {
  for (const [each, result] of Object.entries(steps)) {
    if (statusOf(result) !== 'FAILED') continue;
    const path = pathOf(parent, each);
    if (each === name) return path;
    const iterations = iterationsOf(result);
    const index = firstFailed(iterations);
    const inside = index === null ? null : failedPath(iterations[index] ?? {}, name, iterationPath(path, index));
    if (inside !== null) return inside;
  }
  return null;
}

export interface LoggedLine {
  path: string;
  name: string;
  text: string;
}

/** The first lines that the steps wrote, in the order of the steps, and whether there are more. */
export function logsOf(steps: StepResults, limit: number): { lines: LoggedLine[]; hasMore: boolean } {
  const lines: LoggedLine[] = [];
  const hasMore = !collectLogs(steps, '', limit, lines);
  return { lines, hasMore };
}

/** Returns whether there was room for all. */
function collectLogs(steps: StepResults, parent: string, limit: number, lines: LoggedLine[]): boolean {
  for (const [name, result] of Object.entries(steps)) {
    const path = pathOf(parent, name);
    for (const text of result.logs ?? []) {
      if (lines.length === limit) return false;
      lines.push({ path, name, text });
    }
    for (const [index, inner] of iterationsOf(result).entries())
      if (!collectLogs(inner ?? {}, iterationPath(path, index), limit, lines)) return false;
  }
  return true;
}
