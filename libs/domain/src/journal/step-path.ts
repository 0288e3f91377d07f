// Where a step stands in a run: its name after `<loop>[<index>].` for each loop around it, the outermost first. Indexes
// count from 0. `orders[2].lines[0].send` is the step `send` in the first iteration of `lines`, in the third of `orders`.
// Routers leave no trace in a path. A step's name has neither a dot nor a bracket.

/** As a step's records have it. */
export type StepPath = string;

/** What the paths of all steps of one iteration begin with, and of no other step: `orders[2].`. */
export type IterationPrefix = string;

/** The prefix of steps that are in no loop. */
export const OUTSIDE_LOOPS: IterationPrefix = '';

/** A path taken apart. */
export interface ParsedPath {
  /** The outermost first. */
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

/** In which iteration of the loop the step is; undefined when it is in none. */
export const indexInside = (path: StepPath, loop: StepPath): number | undefined =>
  isInside(path, loop) ? parseInt(path.slice(loop.length + 1), 10) : undefined;

/** The step as seen from inside an iteration that it is in. */
export const pathFrom = (iteration: IterationPrefix, path: StepPath): StepPath => path.slice(iteration.length);

/** Of a prefix other than OUTSIDE_LOOPS. */
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
