import type { FlowAction } from '../flows/flow-version';
import { branch, codeStep, fallback, loop, router } from './a-flow-version';

/** A step in the short form of `tests/cases/step-options.json`. The README there explains this form. */
export type ShortStep = { name: string; skip?: boolean } & (
  | { code?: string; input?: Record<string, unknown>; continueOnFailure?: boolean; retryOnFailure?: boolean }
  | { items: unknown; body: ShortStep[] }
  | { all?: boolean; branches: { name: string; when: unknown; steps: ShortStep[] }[] }
);

/** Turns steps from the short form into flow actions. */
export const stepsInShort = (steps: readonly ShortStep[]): FlowAction[] => steps.map(inFull);

function inFull(step: ShortStep): FlowAction {
  const skip = step.skip === undefined ? {} : { skip: step.skip };
  if ('items' in step) return loop(step.name, step.items, stepsInShort(step.body), skip);
  if ('branches' in step) {
    const branches = step.branches.map(({ name, when, steps }) =>
      when === 'else'
        ? fallback(stepsInShort(steps), name)
        : branch(name, [[{ operator: 'BOOLEAN_IS_TRUE', firstValue: when }]], stepsInShort(steps)),
    );
    const executionType = step.all ? 'EXECUTE_ALL_MATCH' : 'EXECUTE_FIRST_MATCH';
    return router(step.name, branches, { executionType, ...skip });
  }
  const { continueOnFailure, retryOnFailure } = step;
  const errorHandlingOptions = {
    ...(continueOnFailure !== undefined && { continueOnFailure: { value: continueOnFailure } }),
    ...(retryOnFailure !== undefined && { retryOnFailure: { value: retryOnFailure } }),
  };
  return codeStep(step.name, step.input, step.code, { errorHandlingOptions, ...skip });
}
