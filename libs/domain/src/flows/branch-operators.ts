import type { BranchOperator } from './flow-version';

/** All operators. The record makes the compiler check that none is missing. */
const OPERATORS: Readonly<Record<BranchOperator, true>> = {
  TEXT_CONTAINS: true,
  TEXT_DOES_NOT_CONTAIN: true,
  TEXT_EXACTLY_MATCHES: true,
  TEXT_DOES_NOT_EXACTLY_MATCH: true,
  TEXT_START_WITH: true,
  TEXT_STARTS_WITH: true,
  TEXT_DOES_NOT_START_WITH: true,
  TEXT_ENDS_WITH: true,
  TEXT_DOES_NOT_END_WITH: true,
  NUMBER_IS_GREATER_THAN: true,
  NUMBER_IS_LESS_THAN: true,
  NUMBER_IS_EQUAL_TO: true,
  BOOLEAN_IS_TRUE: true,
  BOOLEAN_IS_FALSE: true,
  DATE_IS_BEFORE: true,
  DATE_IS_EQUAL: true,
  DATE_IS_AFTER: true,
  LIST_CONTAINS: true,
  LIST_DOES_NOT_CONTAIN: true,
  LIST_IS_EMPTY: true,
  LIST_IS_NOT_EMPTY: true,
  EXISTS: true,
  DOES_NOT_EXIST: true,
};

/** Other names that exports use for operators of ours. */
const OTHERWISE_CALLED: ReadonlyMap<string, BranchOperator> = new Map([['LIST_NOT_CONTAINS', 'LIST_DOES_NOT_CONTAIN']]);

export const resolveOperator = (name: string): string => OTHERWISE_CALLED.get(name) ?? name;

export const isBranchOperator = (name: string): name is BranchOperator => Object.hasOwn(OPERATORS, name);

export const BRANCH_OPERATORS = Object.keys(OPERATORS) as BranchOperator[];
