import type { BranchCondition, BranchOperator, RouterBranch } from '@millrace/domain';
import { evaluateBranches, evaluateCondition, evaluateGroups, isOperator, OPERATORS } from './conditions';

type Row = [first: unknown, second: unknown, expected: boolean, caseSensitive?: boolean];

const ROWS: Record<BranchOperator, Row[]> = {
  TEXT_CONTAINS: [
    ['Hello', 'ELL', true],
    ['Hello', 'ELL', false, true],
    ['Hello', 'ell', true, true],
    [{ a: 1 }, '"a":1', true],
    [[1, 2], '1,2', true],
    [12345, 234, true],
    [null, 'ul', true],
    ['x', undefined, true],
    [undefined, 'undefined', false],
  ],
  TEXT_DOES_NOT_CONTAIN: [
    ['Hello', 'ELL', false],
    ['Hello', 'ELL', true, true],
    [true, 'ru', false],
  ],
  TEXT_EXACTLY_MATCHES: [
    ['a', 'A', true],
    ['a', 'A', false, true],
    [1, '1', true],
    [{ a: 1 }, '{"a":1}', true],
    ['', undefined, true],
  ],
  TEXT_DOES_NOT_EXACTLY_MATCH: [
    ['a', 'A', false],
    ['a', 'b', true],
  ],
  TEXT_START_WITH: [
    ['Hello', 'he', true],
    ['Hello', 'he', false, true],
    [123, 12, true],
  ],
  TEXT_STARTS_WITH: [
    ['Hello', 'he', true],
    ['Hello', 'lo', false],
  ],
  TEXT_DOES_NOT_START_WITH: [
    ['Hello', 'he', false],
    ['Hello', 'lo', true],
  ],
  TEXT_ENDS_WITH: [
    ['Hello', 'LO', true],
    ['Hello', 'he', false],
  ],
  TEXT_DOES_NOT_END_WITH: [
    ['Hello', 'LO', false],
    ['Hello', 'LO', true, true],
  ],
  NUMBER_IS_GREATER_THAN: [
    [2, 1, true],
    ['10', '9', true],
    ['10', 9.5, true],
    [1, 1, false],
    ['b', 'a', true],
    ['abc', 1, false],
    [true, 0, true],
    [null, -1, true],
    [undefined, 0, false],
    [{}, 0, false],
    [[5], 4, true],
  ],
  NUMBER_IS_LESS_THAN: [
    [1, 2, true],
    ['9', '10', true],
    ['', 1, true],
    ['abc', 1, false],
  ],
  NUMBER_IS_EQUAL_TO: [
    ['1.0', 1, true],
    ['0x10', 16, true],
    ['abc', 'abc', true],
    ['abc', 'ABC', false],
    ['', 0, true],
    [false, 0, true],
    [null, undefined, false],
    [{}, '[object Object]', true],
  ],
  BOOLEAN_IS_TRUE: [
    [true, undefined, true],
    ['false', undefined, true],
    [[], undefined, true],
    ['', undefined, false],
    [0, undefined, false],
    [null, undefined, false],
  ],
  BOOLEAN_IS_FALSE: [
    [false, undefined, true],
    ['false', undefined, false],
    ['', undefined, true],
    [undefined, undefined, true],
  ],
  DATE_IS_BEFORE: [
    ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', true],
    ['2026-01-01', '2025-12-31', false],
    ['not a date', '2026-01-01', false],
    [null, '2026-01-01', false],
    ['', '2026-01-01', false],
    [0, '2026-01-01', true],
    [true, '2026-01-01', false],
  ],
  DATE_IS_EQUAL: [
    ['2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00Z', true],
    ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', false],
    ['x', 'x', false],
    [{}, {}, false],
  ],
  DATE_IS_AFTER: [
    ['2026-01-02', '2026-01-01', true],
    [1_800_000_000_000, '2026-01-01', true],
    ['2026-01-01', 'never', false],
  ],
  LIST_CONTAINS: [
    [['A', 'b'], 'a', true],
    [['A', 'b'], 'a', false, true],
    ['["x", 1]', '1', true],
    ['plain', 'PLAIN', true],
    ['plain text', 'plain', false],
    ['[not json', '[not json', true],
    [[{ a: 1 }], '{"a":1}', true],
    [5, '5', true],
    [[], '', false],
  ],
  LIST_DOES_NOT_CONTAIN: [
    [['A', 'b'], 'a', false],
    [[], 'a', true],
  ],
  LIST_IS_EMPTY: [
    [[], undefined, true],
    ['[]', undefined, true],
    [[1], undefined, false],
    ['', undefined, false],
    [{}, undefined, false],
    [null, undefined, false],
  ],
  LIST_IS_NOT_EMPTY: [
    [[0], undefined, true],
    [[], undefined, false],
    ['text', undefined, false],
    [{ length: 1 }, undefined, false],
  ],
  EXISTS: [
    ['x', undefined, true],
    [0, undefined, true],
    [false, undefined, true],
    ['', undefined, false],
    [null, undefined, false],
    [undefined, undefined, false],
  ],
  DOES_NOT_EXIST: [
    ['', undefined, true],
    [null, undefined, true],
    [0, undefined, false],
    [[], undefined, false],
  ],
};

const condition = (value: unknown): BranchCondition => ({ operator: 'BOOLEAN_IS_TRUE', firstValue: value });

describe.each(Object.entries(ROWS) as [BranchOperator, Row[]][])('%s', (operator, rows) => {
  it.each(rows)('of %j and %j is %s', (firstValue, secondValue, expected, ...[caseSensitive]) => {
    expect(evaluateCondition({ operator, firstValue, secondValue, caseSensitive })).toBe(expected);
  });
});

describe('the operators', () => {
  it('are all in the table above', () => expect(Object.keys(ROWS).sort()).toEqual(Object.keys(OPERATORS).sort()));

  it.each(['toString', '__proto__', 'TEXT_IS_NICE', ''])('do not include %j', (name) =>
    expect(isOperator(name)).toBe(false),
  );
});

describe('an object that JavaScript cannot convert', () => {
  const hostile = JSON.parse('{"toString":1,"valueOf":2}') as unknown;

  it('is a value like any other to every operator', () => {
    for (const operator of Object.keys(OPERATORS) as BranchOperator[])
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
