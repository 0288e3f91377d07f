// A step path says where a step stands in a run. It is the step's name after `<loop>[<index>].` for each loop around
// the step, the outermost loop first. Indexes count from 0: `orders[2].lines[0].send` is the step `send` in the first
// iteration of `lines`, in the third iteration of `orders`. Routers do not appear in a path. The name of a step
// contains neither a dot nor a bracket.

/** The path of a step, as its records contain it. */
export type StepPath = string;

/** The beginning that the paths of all steps of one iteration share, and no other path has: `orders[2].`. */
export type IterationPrefix = string;

/** The prefix of all steps that are in no loop. */
export const OUTSIDE_LOOPS: IterationPrefix = '';

/** The parts of a path. */
export interface ParsedPath {
  /** The loops around the step, the outermost first. */
  loops: readonly LoopIndex[];
  name: string;
}

export interface LoopIndex {
  name: string;
  index: number;
}

export const pathIn = (iteration: IterationPrefix, stepName: string): StepPath => iteration + stepName;

export const iterationPrefix = (loop: StepPath, index: number): IterationPrefix => `${loop}[${index}].`;

export const stepNameOf = (path: StepPath): string => path.slice(path.lastIndexOf('.') + 1);

/** The prefix of the innermost iteration that the step is in. */
export const iterationAround = (path: StepPath): IterationPrefix => path.slice(0, path.lastIndexOf('.') + 1);

/** Whether the step is in some iteration of the loop. */
export const isInside = (path: StepPath, loop: StepPath): boolean => path.startsWith(`${loop}[`);

/** The index of the iteration of the loop that the step is in; undefined when the step is outside the loop. */
export const indexInside = (path: StepPath, loop: StepPath): number | undefined =>
  isInside(path, loop) ? parseInt(path.slice(loop.length + 1), 10) : undefined;

/** The path of the step relative to an iteration that it is in. */
export const pathFrom = (iteration: IterationPrefix, path: StepPath): StepPath => path.slice(iteration.length);

/** The loop and the index of an iteration. The prefix must not be OUTSIDE_LOOPS. */
export function loopOf(iteration: IterationPrefix): { loop: StepPath; index: number } {
  const bracket = iteration.lastIndexOf('[');
  return { loop: iteration.slice(0, bracket), index: Number(iteration.slice(bracket + 1, -2)) };
}

export function parsePath(path: StepPath): ParsedPath {
  const parts = path.split('.');
  const name = parts.pop() ?? '';
  const loops = parts.map((part) => {
    const { loop, index } = loopOf(`${part}.`);
    return { name: loop, index };
  });
  return { loops, name };
}
