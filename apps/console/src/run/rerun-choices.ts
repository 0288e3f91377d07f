import { bodiesOf, chainOf, type Step } from '../flow-picture/step';
import { iterationPath, iterationsOf, pathOf, resultAt, type StepResults } from './step-results';

/** A step of the version that a run executed. */
export interface VersionStep {
  name: string;
  displayName: string;
  /** The names of the loops around it, the outermost first. */
  loops: readonly string[];
}

/** The steps in the order of the version, the trigger first. */
export function stepsOfVersion(first: Step | null, loops: readonly string[] = []): VersionStep[] {
  return [...chainOf(first)].flatMap((step) => {
    const inside = step.type === 'LOOP_ON_ITEMS' ? [...loops, step.name] : loops;
    return [
      { name: step.name, displayName: step.displayName, loops },
      ...bodiesOf(step).flatMap((body) => stepsOfVersion(body.first, inside)),
    ];
  });
}

/** How many iterations a run began of each of these loops, in the chosen iterations (from 0) of the loops before. */
export function iterationsBegun(steps: StepResults, loops: readonly string[], chosen: readonly number[]): number[] {
  let around = '';
  return loops.map((name, depth) => {
    const path = pathOf(around, name);
    around = iterationPath(path, chosen[depth] ?? 0);
    const loop = resultAt(steps, path);
    return loop ? iterationsOf(loop).length : 0;
  });
}

/** The iteration of the innermost of these loops, in the chosen iterations (from 0) of all of them. */
export const placeIn = (loops: readonly string[], chosen: readonly number[]): string =>
  loops.reduce((around, name, depth) => iterationPath(pathOf(around, name), chosen[depth] ?? 0), '');

/** The input of a rerun as it was typed. */
export type TypedInput = { kind: 'same' } | { kind: 'new'; value: unknown } | { kind: 'broken'; problem: string };

/** What a typed text means; null stands for the input of the old run. */
export function typedInput(text: string | null): TypedInput {
  if (text === null) return { kind: 'same' };
  try {
    return { kind: 'new', value: JSON.parse(text) };
  } catch (error) {
    return { kind: 'broken', problem: error instanceof Error ? error.message : String(error) };
  }
}
