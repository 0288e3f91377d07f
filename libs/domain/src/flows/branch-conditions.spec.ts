import { operatorCases, type OperatorCase } from '../testing/step-cases';
import { evaluateBranches, evaluateCondition, evaluateGroups } from './branch-conditions';
import { BRANCH_OPERATORS, isBranchOperator } from './branch-operators';
import type { BranchCondition, BranchOperator, RouterBranch } from './flow-version';

// The other rows have expressions, which the engine resolves first.
const CASES = operatorCases().filter((row) => !JSON.stringify(row).includes('{{'));

/** Conditions in which the first or the second value is null or undefined. */
const NOTHING: [BranchOperator, first: unknown, second: unknown, expected: boolean][] = [
  ['TEXT_CONTAINS', null, 'ul', true],
  ['TEXT_CONTAINS', undefined, 'undefined', false],
  ['TEXT_EXACTLY_MATCHES', undefined, '', true],
  ['NUMBER_IS_GREATER_THAN', null, -1, true],
  ['NUMBER_IS_GREATER_THAN', undefined, 0, false],
  ['NUMBER_IS_EQUAL_TO', null, undefined, false],
  ['BOOLEAN_IS_TRUE', null, undefined, false],
  ['BOOLEAN_IS_FALSE', undefined, undefined, true],
  ['DATE_IS_BEFORE', null, '2026-01-01', false],
  ['LIST_CONTAINS', null, 'null', true],
  ['LIST_IS_EMPTY', null, undefined, false],
  ['LIST_IS_NOT_EMPTY', undefined, undefined, false],
  ['EXISTS', null, undefined, false],
  ['EXISTS', undefined, undefined, false],
  ['DOES_NOT_EXIST', null, undefined, true],
];

const condition = (value: unknown): BranchCondition => ({ operator: 'BOOLEAN_IS_TRUE', firstValue: value });

describe('a condition', () => {
  it.each(CASES.map((row) => [sentenceOf(row), row] as const))('%s', (_, { holds, why: _why, ...written }) =>
    expect(evaluateCondition(written)).toBe(holds),
  );

  it.each(NOTHING)('%s of %j and %j is %s', (operator, firstValue, secondValue, expected) =>
    expect(evaluateCondition({ operator, firstValue, secondValue })).toBe(expected),
  );
});

function sentenceOf({ operator, firstValue, secondValue, caseSensitive, why }: OperatorCase): string {
  const second = secondValue === undefined ? '' : ` and ${JSON.stringify(secondValue)}`;
  return `${operator} of ${JSON.stringify(firstValue)}${second}${caseSensitive ? ', with case' : ''}${why ? ` (${why})` : ''}`;
}

describe('the operators', () => {
  it('each have rows', () =>
    expect([...new Set(CASES.map(({ operator }) => operator))].sort()).toEqual([...BRANCH_OPERATORS].sort()));

  it.each(['toString', '__proto__', 'TEXT_IS_NICE', ''])('do not include %j', (name) =>
    expect(isBranchOperator(name)).toBe(false),
  );
});

describe('an object that JavaScript cannot convert', () => {
  const hostile = JSON.parse('{"toString":1,"valueOf":2}') as unknown;

  it('is a value like any other to every operator', () => {
    for (const operator of BRANCH_OPERATORS)
      expect(typeof evaluateCondition({ operator, firstValue: hostile, secondValue: [hostile] })).toBe('boolean');
  });

  it('is text as JSON, and no number', () => {
    expect(evaluateCondition({ operator: 'TEXT_CONTAINS', firstValue: hostile, secondValue: '"valueof":2' })).toBe(
      true,
    );
    expect(evaluateCondition({ operator: 'NUMBER_IS_EQUAL_TO', firstValue: hostile, secondValue: hostile })).toBe(
      false,
    );
  });
});

describe('groups of conditions', () => {
  it.each([
    ['no groups', [], false],
    ['an empty group', [[]], true],
    ['one group, all true', [[condition(1), condition(1)]], true],
    ['one group, one false', [[condition(1), condition(0)]], false],
    ['two groups, the second true', [[condition(0)], [condition(1)]], true],
    ['two groups, both false', [[condition(0)], [condition(0), condition(1)]], false],
  ])('%s', (_, groups, expected) => expect(evaluateGroups(groups)).toBe(expected));
});

describe('a fallback branch', () => {
  const fallback = { branchType: 'FALLBACK', branchName: 'else' } as const;
  const when = (value: unknown): RouterBranch => ({
    branchType: 'CONDITION',
    branchName: 'if',
    conditions: [[condition(value)]],
  });

  it('holds when no condition branch does, wherever it stands', () => {
    expect(evaluateBranches([when(0), fallback])).toEqual([false, true]);
    expect(evaluateBranches([fallback, when(0), when(0)])).toEqual([true, false, false]);
  });

  it('does not hold beside a condition branch that does', () => {
    expect(evaluateBranches([fallback, when(0), when(1)])).toEqual([false, false, true]);
  });
});
