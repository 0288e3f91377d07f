import { isBranchOperator } from './branch-operators';
import type { BranchCondition, BranchOperator, RouterBranch } from './flow-version';

// The rules of a router's conditions. The values of a condition are resolved before they come here.

type Rule = (first: unknown, second: unknown, caseSensitive: boolean) => boolean;

const RULES: Readonly<Record<BranchOperator, Rule>> = {
  TEXT_CONTAINS: text((first, second) => first.includes(second)),
  TEXT_DOES_NOT_CONTAIN: not(text((first, second) => first.includes(second))),
  TEXT_EXACTLY_MATCHES: text((first, second) => first === second),
  TEXT_DOES_NOT_EXACTLY_MATCH: not(text((first, second) => first === second)),
  TEXT_START_WITH: text((first, second) => first.startsWith(second)),
  TEXT_STARTS_WITH: text((first, second) => first.startsWith(second)),
  TEXT_DOES_NOT_START_WITH: not(text((first, second) => first.startsWith(second))),
  TEXT_ENDS_WITH: text((first, second) => first.endsWith(second)),
  TEXT_DOES_NOT_END_WITH: not(text((first, second) => first.endsWith(second))),
  NUMBER_IS_GREATER_THAN: number((first, second) => first > second),
  NUMBER_IS_LESS_THAN: number((first, second) => first < second),
  NUMBER_IS_EQUAL_TO: number((first, second) => first == second),
  BOOLEAN_IS_TRUE: (first) => Boolean(first),
  BOOLEAN_IS_FALSE: (first) => !first,
  DATE_IS_BEFORE: date((first, second) => first < second),
  DATE_IS_EQUAL: date((first, second) => first === second),
  DATE_IS_AFTER: date((first, second) => first > second),
  LIST_CONTAINS: listContains,
  LIST_DOES_NOT_CONTAIN: not(listContains),
  LIST_IS_EMPTY: (first) => asList(first)?.length === 0,
  LIST_IS_NOT_EMPTY: (first) => (asList(first)?.length ?? 0) > 0,
  EXISTS: exists,
  DOES_NOT_EXIST: not(exists),
};

/** Whether each branch holds, in the order of the branches. A fallback holds when no condition branch does. */
export function evaluateBranches(branches: readonly RouterBranch[]): boolean[] {
  const held = branches.map((branch) => branch.branchType === 'CONDITION' && evaluateGroups(branch.conditions));
  const none = !held.includes(true);
  return branches.map((branch, index) => (branch.branchType === 'FALLBACK' ? none : held[index] === true));
}

/**
 * Whether all conditions of at least one group hold. So an empty list of groups is false, and an empty group is true.
 */
export function evaluateGroups(groups: readonly BranchCondition[][]): boolean {
  return groups.some((group) => group.every(evaluateCondition));
}

export function evaluateCondition({ operator, firstValue, secondValue, caseSensitive }: BranchCondition): boolean {
  return isBranchOperator(operator) && RULES[operator](firstValue, secondValue, caseSensitive === true);
}

function not(rule: Rule): Rule {
  return (first, second, caseSensitive) => !rule(first, second, caseSensitive);
}

function text(rule: (first: string, second: string) => boolean): Rule {
  return (first, second, caseSensitive) => rule(asText(first, caseSensitive), asText(second, caseSensitive));
}

function asText(value: unknown, caseSensitive: boolean): string {
  const plain = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return caseSensitive ? plain : plain.toLowerCase();
}

/** Compares numbers. A value that is no number is compared as JavaScript compares it, so texts have an order too. */
function number(rule: (first: number, second: number) => boolean): Rule {
  return (first, second) => rule(asNumber(first) as number, asNumber(second) as number);
}

function asNumber(value: unknown): unknown {
  try {
    const converted = Number(value);
    return Number.isNaN(converted) ? value : converted;
  } catch {
    // An object with data in place of `toString` and `valueOf` cannot be converted; a comparison of it would throw too.
    return NaN;
  }
}

function date(rule: (first: number, second: number) => boolean): Rule {
  return (first, second) => {
    const [firstTime, secondTime] = [asTime(first), asTime(second)];
    return !Number.isNaN(firstTime) && !Number.isNaN(secondTime) && rule(firstTime, secondTime);
  };
}

function asTime(value: unknown): number {
  return typeof value === 'string' || typeof value === 'number' ? new Date(value).getTime() : NaN;
}

function listContains(first: unknown, second: unknown, caseSensitive: boolean): boolean {
  const wanted = asText(second, caseSensitive);
  return (asList(first) ?? [first]).some((item) => asText(item, caseSensitive) === wanted);
}

function asList(value: unknown): unknown[] | null {
  if (Array.isArray(value)) return value as unknown[];
  if (typeof value !== 'string' || !value.trimStart().startsWith('[')) return null;
  try {
    return JSON.parse(value) as unknown[];
  } catch {
    return null; // the text only looks like a list
  }
}

function exists(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
