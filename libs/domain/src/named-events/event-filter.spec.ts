import { filterProblems, passesFilter } from './event-filter';

const paid = { id: 'e1', name: 'paid', data: { total: 12, customer: { tier: 'gold', tags: ['a', 'b'] } } };
const when = (firstValue: unknown, operator: string, secondValue?: unknown) => ({ firstValue, operator, secondValue });

describe('a filter of named events', () => {
  it.each([
    ['no filter', undefined, true],
    ['an empty text', '', true],
    ['no groups', [], true],
    ['a group that holds', [[when('{{trigger.data.total}}', 'NUMBER_IS_GREATER_THAN', 10)]], true],
    ['a value that keeps its type', [[when('{{ trigger.data.customer.tags }}', 'LIST_CONTAINS', 'b')]], true],
    ['a text around a path', [[when('is {{trigger.data.customer.tier}}!', 'TEXT_EXACTLY_MATCHES', 'is gold!')]], true],
    ['an object within text', [[when('{{trigger.data.customer}}.', 'TEXT_CONTAINS', '"tier":"gold"')]], true],
    ['a condition that does not hold', [[when('{{trigger.data.total}}', 'NUMBER_IS_LESS_THAN', 10)]], false],
    ['a missing member', [[when('{{trigger.data.nothing.at.all}}', 'EXISTS')]], false],
    ['a member of a prototype', [[when('{{trigger.data.constructor}}', 'EXISTS')]], false],
    ['a second group that holds', [[when(1, 'BOOLEAN_IS_FALSE')], [when(1, 'BOOLEAN_IS_TRUE')]], true],
    ['one of two conditions', [[when(1, 'BOOLEAN_IS_TRUE'), when(1, 'BOOLEAN_IS_FALSE')]], false],
  ])('with %s', (_, filter, passes) => {
    expect(filterProblems(filter)).toEqual([]);
    expect(passesFilter(filter, paid)).toBe(passes);
  });

  it.each([
    ['{{trigger.data.total > 10}}', 'The filter must be a list of groups, each a list of conditions.'],
    [[when(1, 'EXISTS')], 'The filter must be a list of groups, each a list of conditions.'],
    [
      [[{ ...when('a', 'EXISTS'), casesensitive: true }]],
      'A condition of the filter does not know the member casesensitive.',
    ],
    [[[when(1, 'IS_NICE')]], 'The filter has the operator "IS_NICE", which does not exist.'],
    [
      [[when('{{trigger.data.total + 1}}', 'EXISTS')]],
      'The filter has {{trigger.data.total + 1}}; it may only have paths such as {{trigger.data.id}}.',
    ],
    [
      [[when('a', 'TEXT_CONTAINS', '{{step_1.x}}')]],
      'The filter has {{step_1.x}}; it may only have paths such as {{trigger.data.id}}.',
    ],
    [[Array.from({ length: 101 }, () => when(1, 'EXISTS'))], 'The filter has more than 100 conditions.'],
  ])('cannot be %j', (filter, problem) => expect(filterProblems(filter)).toEqual([problem]));
});
