import { readJson, textOfValue, valueOfText } from './json-text';

describe('a field of JSON', () => {
  it.each([
    ['{"a": 1}', { a: 1 }],
    ['  ', {}],
  ])('reads the object %j', (text, value) => expect(readJson(text, 'object')).toEqual({ value, problem: null }));

  it.each([
    ['{"a": ', 'object'],
    ['[1]', 'object'],
    ['{}', 'list'],
  ] as const)('says why %j is no %s', (text, shape) =>
    expect(readJson(text, shape).problem).toMatch(/^This is not saved/),
  );
});

describe('a field that takes text or JSON', () => {
  it.each([
    ['{{ trigger.body.lines }}', '{{ trigger.body.lines }}'],
    ['[1, 2]', [1, 2]],
    ['{"a": "{{ b }}"}', { a: '{{ b }}' }],
    ['[1, ', '[1, '],
    ['12', '12'],
  ])('takes %j as %j', (text, value) => expect(valueOfText(text)).toEqual(value));

  it('shows a list as JSON', () => expect(valueOfText(textOfValue([1, { a: 2 }]))).toEqual([1, { a: 2 }]));
});
