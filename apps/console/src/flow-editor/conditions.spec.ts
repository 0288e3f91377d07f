import { addedCondition, addedGroup, isConditions, withOperator, withoutCondition, type Condition } from './conditions';

const condition = (firstValue: string): Condition => ({ firstValue, operator: 'EXISTS' });
const all = [[condition('a'), condition('b')], [condition('c')]];
const first = (groups: Condition[][]) => groups.map((group) => group.map(({ firstValue }) => firstValue));

describe('the conditions of a branch', () => {
  it('keep what the other operator uses as well', () => {
    const text: Condition = { firstValue: 'a', operator: 'TEXT_CONTAINS', secondValue: 'b', caseSensitive: true };
    expect(withOperator(text, 'TEXT_EXACTLY_MATCHES')).toEqual({ ...text, operator: 'TEXT_EXACTLY_MATCHES' });
    expect(withOperator(text, 'NUMBER_IS_EQUAL_TO')).toEqual({
      firstValue: 'a',
      operator: 'NUMBER_IS_EQUAL_TO',
      secondValue: 'b',
    });
    expect(withOperator(text, 'EXISTS')).toEqual({ firstValue: 'a', operator: 'EXISTS' });
    expect(withOperator(condition('a'), 'DATE_IS_AFTER')).toMatchObject({ secondValue: '' });
  });

  it('get further ones, alone or in a group of their own', () => {
    expect(first(addedCondition(all, 1))).toEqual([
      ['a', 'b'],
      ['c', ''],
    ]);
    expect(first(addedGroup(all))).toEqual([['a', 'b'], ['c'], ['']]);
  });

  it('lose a group with its last condition', () => {
    expect(first(withoutCondition(all, 0, 0))).toEqual([['b'], ['c']]);
    expect(first(withoutCondition(all, 1, 0))).toEqual([['a', 'b']]);
    expect(first(withoutCondition([[], [condition('c')]], 1, 0))).toEqual([[]]);
  });

  it.each([undefined, null, {}, [1], [[1]], [[{}]], '{{ x }}'])('are not %j', (value) =>
    expect(isConditions(value)).toBe(false),
  );
});
