import type { FlowStep } from '@millrace/domain';
import { splitTokens } from './tokens';
import type { ExpressionProblem } from './syntax';

/** Finds the expressions that do not parse in all strings of a value. */
export function findExpressionProblems(value: unknown): ExpressionProblem[] {
  if (typeof value === 'string')
    return splitTokens(value).flatMap((part) =>
      typeof part === 'object' && part.kind === 'broken' ? [part.problem] : [],
    );
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(findExpressionProblems);
}

/** Finds the expressions that do not parse in a step, in those settings whose expressions are resolved; not in code. */
export function findStepExpressionProblems(step: FlowStep): ExpressionProblem[] {
  switch (step.type) {
    case 'EMPTY':
    case 'PIECE_TRIGGER':
      return [];
    case 'CODE':
    case 'PIECE':
      return findExpressionProblems(step.settings.input);
    case 'LOOP_ON_ITEMS':
      return findExpressionProblems(step.settings.items);
    case 'ROUTER':
      return step.settings.branches
        .flatMap((branch) => (branch.branchType === 'CONDITION' ? branch.conditions.flat() : []))
        .flatMap(({ firstValue, secondValue }) => findExpressionProblems([firstValue, secondValue]));
  }
}
