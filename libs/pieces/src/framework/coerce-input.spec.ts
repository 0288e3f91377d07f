import { coerceInput, inputProblems } from './coerce-input';
import type { Prop, Props } from './props';

const prop = (kind: Prop['kind'], more: Partial<Prop> = {}): Prop => ({
  kind,
  displayName: 'It',
  required: false,
  options: [],
  props: () => ({}),
  ...more,
});
const coerce = (it: Prop, value: unknown) => coerceInput({ it }, { it: value });

const CHOICES = {
  options: [
    { label: 'One', value: 1 },
    { label: 'Two', value: 'two' },
  ],
};

describe('coerceInput', () => {
  it.each([
    ['text', 'a', 'a'],
    ['text', '', ''],
    ['text', 5, '5'],
    ['text', false, 'false'],
    ['text', ' {{not an expression any more}} ', ' {{not an expression any more}} '],
    ['number', 5, 5],
    ['number', '5.5', 5.5],
    ['number', ' -1e3 ', -1000],
    ['checkbox', true, true],
    ['checkbox', 'true', true],
    ['checkbox', 'false', false],
    ['array', [1, 'a'], [1, 'a']],
    ['array', '[1, "a"]', [1, 'a']],
    ['object', { a: 1 }, { a: 1 }],
    ['object', '{"a": 1}', { a: 1 }],
    ['dynamic', '{"a": 1}', { a: 1 }],
    ['json', '{"a": [1]}', { a: [1] }],
    ['json', 'null', null],
    ['json', 7, 7],
    ['any', '{"a": 1}', '{"a": 1}'],
    ['any', '', ''],
    ['any', [null], [null]],
    ['date', '2026-02-03', '2026-02-03T00:00:00.000Z'],
    ['date', '2026-02-03T04:05:06+01:00', '2026-02-03T03:05:06.000Z'],
    ['date', '2026-02-03 04:05', '2026-02-03T04:05:00.000Z'],
    ['date', 0, '1970-01-01T00:00:00.000Z'],
    ['file', 'https://example.test/a.pdf', 'https://example.test/a.pdf'],
  ] as const)('takes for %s: %j as %j', (kind, given, taken) =>
    expect(coerce(prop(kind), given)).toEqual({ input: { it: taken } }),
  );

  it.each([
    ['text', {}, 'text'],
    ['text', ['a'], 'text'],
    ['number', 'five', 'a number'],
    ['number', ' ', 'a number'],
    ['number', true, 'a number'],
    ['number', Infinity, 'a number'],
    ['checkbox', 'yes', 'true or false'],
    ['checkbox', 1, 'true or false'],
    ['array', { 0: 'a' }, 'a list'],
    ['array', 'a, b', 'a list'],
    ['object', [], 'an object'],
    ['object', 'a', 'an object'],
    ['object', '[1]', 'an object'],
    ['dynamic', 1, 'an object'],
    ['json', '{"a":', 'JSON'],
    ['date', 'tomorrow', 'a date'],
    ['date', true, 'a date'],
    ['date', '2026-13-01', 'a date'],
    ['file', 'a.pdf', 'the URL of a file'],
    ['file', { url: 'https://example.test' }, 'the URL of a file'],
  ] as const)('refuses for %s: %j', (kind, given, expected) =>
    expect(coerce(prop(kind), given)).toEqual({ problems: [`The input "It" (it) must be ${expected}.`] }),
  );

  it.each([
    ['dropdown', 1],
    ['dropdown', 'two'],
    ['multi_select', []],
    ['multi_select', ['two', 1]],
  ] as const)('takes for %s: %j', (kind, given) =>
    expect(coerce(prop(kind, CHOICES), given)).toEqual({ input: { it: given } }),
  );

  it.each([
    ['dropdown', 'One', 'one of 1, two'],
    ['dropdown', '1', 'one of 1, two'],
    ['multi_select', ['two', 'three'], 'a list of any of 1, two'],
    ['multi_select', 'two', 'a list of any of 1, two'],
  ] as const)('refuses for %s what is no choice: %j', (kind, given, expected) =>
    expect(coerce(prop(kind, CHOICES), given)).toEqual({ problems: [`The input "It" (it) must be ${expected}.`] }),
  );

  it('leaves choices that only a system out there knows to that system', () => {
    const asked = { options: () => Promise.resolve({ options: [] }) };

    expect(coerce(prop('dropdown', asked), 'whatever')).toEqual({ input: { it: 'whatever' } });
    expect(coerce(prop('multi_select', asked), ['a', 1])).toEqual({ input: { it: ['a', 1] } });
    expect(coerce(prop('multi_select', asked), 'a')).toEqual({
      problems: ['The input "It" (it) must be a list of its options.'],
    });
  });

  it.each([[undefined], [null], ['']])('counts %j as missing', (nothing) => {
    expect(coerce(prop('number'), nothing)).toEqual({ input: {} });
    expect(coerce(prop('number', { required: true }), nothing)).toEqual({
      problems: ['The input "It" (it) is required.'],
    });
    expect(coerce(prop('text', { required: true }), nothing)).toEqual({
      problems: ['The input "It" (it) is required.'],
    });
    expect(coerce(prop('number', { defaultValue: 3 }), nothing)).toEqual({ input: { it: 3 } });
    expect(coerce(prop('text', { required: true, defaultValue: 'a' }), nothing)).toEqual({ input: { it: 'a' } });
  });

  it.each([[0], [false], [[]]])('does not count %j as missing', (value) =>
    expect(coerce(prop('any', { required: true, defaultValue: 'a' }), value)).toEqual({ input: { it: value } }),
  );

  it('says all that is wrong, and drops what nobody asked for', () => {
    const props: Props = {
      name: { kind: 'text', displayName: 'Name', required: true },
      age: { kind: 'number', displayName: 'Age', required: false },
    };

    expect(coerceInput(props, { age: 'old' })).toEqual({
      problems: ['The input "Name" (name) is required.', 'The input "Age" (age) must be a number.'],
    });
    expect(coerceInput(props, { name: 'Ann', other: 1 })).toEqual({ input: { name: 'Ann' } });
  });

  it('reads own members only', () => expect(coerceInput({ toString: prop('any') }, {})).toEqual({ input: {} }));
});

describe('inputProblems', () => {
  const props: Props = { list: prop('array', { required: true }), count: prop('number') };

  it.each([
    [{ list: '{{step.items}}' }],
    [{ list: ['{{step.item}}'], count: '{{ step.n }}' }],
    [{ list: 'all of {{step.items}}' }],
    [{ list: { in: [{ side: '{{step.items}}' }] } }],
  ])('cannot judge an expression: %j', (written) => expect(inputProblems(props, written)).toEqual([]));

  it.each([
    [{}, 'The input "It" (list) is required.'],
    [{ list: 'a' }, 'The input "It" (list) must be a list.'],
    [{ list: [], count: 'a }}' }, 'The input "It" (count) must be a number.'],
  ])('judges what is written out: %j', (written, problem) => expect(inputProblems(props, written)).toEqual([problem]));

  it('looks for expressions at any depth', () => {
    let deep: unknown = '{{step}}';
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];

    expect(inputProblems({ it: prop('number') }, { it: deep })).toEqual([]);
  });
});
