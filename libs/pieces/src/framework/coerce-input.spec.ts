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

  it.each([
    ['dropdown', { b: [1], a: 'x' }],
    ['multi_select', [{ a: 'x', b: [1] }, null]],
  ] as const)('compares choices of %s that are objects by what they hold: %j', (kind, given) => {
    const options = [
      { label: 'Object', value: { a: 'x', b: [1] } },
      { label: 'Nothing', value: null },
    ];

    expect(coerce(prop(kind, { options }), given)).toEqual({ input: { it: given } });
    expect(coerce(prop('dropdown', { options }), { a: 'x' })).toEqual({
      problems: ['The input "It" (it) must be one of {"a":"x","b":[1]}, null.'],
    });
  });

  it('compares a long list of entries without looking at each choice again', () => {
    let looks = 0;
    const options = Array.from({ length: 500 }, (_, n) => ({
      label: '',
      get value() {
        looks++;
        return n % 2 ? n : { n, of: ['x'] };
      },
    }));
    const given = Array.from({ length: 10_000 }, (_, n) => (n % 2 ? 499 : { of: ['x'], n: 498 }));

    expect(coerce(prop('multi_select', { options }), given)).toEqual({ input: { it: given } });
    expect(looks).toBe(500);
    expect(coerce(prop('multi_select', { options }), [...given, 499])).toEqual({
      problems: ['The input "It" (it) must be a list of at most 10,000 of its options.'],
    });
  });

  it('compares deep choices to a bounded depth', () => {
    const deep = (levels: number): unknown => (levels === 0 ? 'x' : { in: deep(levels - 1) });
    const options = [{ label: '', value: deep(1_000) }];

    expect(coerce(prop('dropdown', { options }), deep(1_000))).toEqual({ input: { it: deep(1_000) } });
    expect(coerce(prop('dropdown', { options }), deep(50))).toMatchObject({ problems: { length: 1 } });
  });

  it('refuses no value where it does not know all choices, and names only some', () => {
    const options = Array.from({ length: 60 }, (_, value) => ({ label: '', value }));

    expect(coerce(prop('dropdown', { options, hasMoreOptions: true }), 'z')).toEqual({ input: { it: 'z' } });
    expect(coerce(prop('multi_select', { options, hasMoreOptions: true }), ['z'])).toEqual({ input: { it: ['z'] } });
    expect(coerce(prop('dropdown', { options }), 'z')).toEqual({
      problems: [expect.stringMatching(/must be one of 0, 1, .*, 49, …\.$/)],
    });
  });

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

describe('a list whose items have members', () => {
  const members: Props = {
    name: { kind: 'text', displayName: 'Name', required: true },
    amount: { kind: 'number', displayName: 'Amount', required: false },
    isOpen: { kind: 'checkbox', displayName: 'Open', required: false, defaultValue: true },
    rows: { kind: 'json', displayName: 'Rows', required: false },
  };
  const lines: Prop = { kind: 'array', displayName: 'Lines', required: false, members };
  const coerceLines = (given: unknown, written: unknown = given) =>
    coerceInput({ lines }, { lines: given }, { written: { lines: written } });
  const problemsOf = (written: unknown) => inputProblems({ lines }, { lines: written });

  it('has them coerced as inputs are', () => {
    const given = [{ name: 7, amount: '1.5', isOpen: 'false', rows: '[1]', other: 1 }, '{"name": "b"}'];

    const coerced = [
      { name: '7', amount: 1.5, isOpen: false, rows: [1] },
      { name: 'b', isOpen: true },
    ];
    expect(coerceLines(given)).toEqual({ input: { lines: coerced } });
    expect(coerceLines(JSON.stringify(given))).toEqual({ input: { lines: coerced } });
    expect(coerceLines([])).toEqual({ input: { lines: [] } });
  });

  it('says by its path which of them does not fit, and why it is missing', () => {
    const written = ['{{ x }}', { name: '{{ step.name }}' }, 'c', null];

    expect(coerceLines([{ name: 'a', amount: 'much' }, { name: '' }, 'c', null], written)).toEqual({
      problems: [
        'The input "Amount" (lines[0].amount) must be a number.',
        'The input "Name" (lines[1].name) is required, and {{ step.name }} gave nothing.',
        'The input "Lines" (lines[2]) must be an object.',
        'The input "Lines" (lines[3]) must be an object.',
      ],
    });
    expect(coerceLines('a')).toEqual({ problems: ['The input "Lines" (lines) must be a list.'] });
  });

  it('may be written as an object of lists', () => {
    expect(coerceLines({ name: ['a', 'b'], amount: '5', other: [1, 2, 3] })).toEqual({
      input: {
        lines: [
          { name: 'a', amount: 5, isOpen: true },
          { name: 'b', amount: 5, isOpen: true },
        ],
      },
    });
    expect(coerceLines({ name: ['a'], amount: [1, 'x'] })).toEqual({
      problems: [
        'The input "Name" (lines[1].name) is required.',
        'The input "Amount" (lines[1].amount) must be a number.',
      ],
    });
    expect(coerceLines({})).toEqual({ input: { lines: [] } });
  });

  it('is bounded, and so are its problems', () => {
    const tooMany = { problems: ['The input "Lines" (lines) must have at most 10,000 items.'] };

    expect(coerceLines(Array.from({ length: 10_001 }, () => ({ name: 'a' })))).toEqual(tooMany);
    expect(coerceLines({ name: Array.from({ length: 1_000_000 }, () => 'a') })).toEqual(tooMany);
    expect(coerceLines(Array.from({ length: 100 }, () => ({})))).toMatchObject({ problems: { length: 20 } });
  });

  it('has a member that its items share, and a default, coerced once', () => {
    const withDefault: Prop = { ...lines, members: { ...members, more: prop('object', { defaultValue: '{"a":1}' }) } };
    const given = [
      { name: ['a', 'b', 'c'], rows: '[1]', more: ['', '{"a":2}', ''] },
      { name: ['d'], rows: '[1]' },
    ];
    const lists: Prop = prop('array', { members: { lines: withDefault } });

    const coerced = coerceInput({ lists }, { lists: given.map((one) => ({ lines: one })) });

    const [{ lines: [a, b, c] = [], lines: first } = {}, { lines: [d] = [] } = {}] = (
      coerced as { input: { lists: { lines?: Record<string, unknown>[] }[] } }
    ).input.lists;
    expect(first).toMatchObject([
      { name: 'a', rows: [1], more: { a: 1 } },
      { name: 'b', rows: [1], more: { a: 2 } },
      { name: 'c', rows: [1], more: { a: 1 } },
    ]);
    expect([b?.['rows'], c?.['rows'], d?.['rows']].every((rows) => rows === a?.['rows'])).toBe(true);
    expect([c?.['more'], d?.['more']].every((more) => more === a?.['more'])).toBe(true);
  });

  const names = (length: number) => Array.from({ length }, () => 'a');
  const tooLarge = [
    'The input "Lines" (lines) is too large: the lists of a step have at most 500,000 members, 300,000 values and 16 MB together.',
  ];

  it('is not multiplied without bounds', () => {
    const nested: Prop = { ...lines, members: { ...members, lines } };
    const wide: Prop = {
      ...lines,
      members: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`m${n}`, prop('number')])),
    };
    const long = JSON.stringify('x'.repeat(2_000));

    expect(coerceLines({ name: names(10_000), rows: long })).toEqual({ problems: tooLarge });
    expect(coerceLines({ name: names(1_000), rows: long })).toMatchObject({ input: { lines: { length: 1_000 } } });
    expect(coerceInput({ lines: nested }, { lines: { name: names(1_000), lines: { name: names(1_000) } } })).toEqual({
      problems: tooLarge,
    });
    expect(coerceInput({ lines: wide }, { lines: names(10_000).map(() => ({})) })).toEqual({ problems: tooLarge });
    expect(problemsOf({ name: names(10_000), rows: long })).toEqual(tooLarge);
  });

  it('has its bounds together with the other lists of the input', () => {
    const both = { lines, more: { ...lines, displayName: 'More' } };
    const given = { name: names(9_000), rows: JSON.stringify('x'.repeat(1_000)) };

    expect(coerceInput({ lines }, { lines: given })).toMatchObject({ input: { lines: { length: 9_000 } } });
    expect(coerceInput(both, { lines: given, more: given })).toEqual({
      problems: [expect.stringMatching(/^The input "More" \(more\) is too large/)],
    });
  });

  it('is bounded in a draft as well', () => {
    expect(problemsOf([...Array.from({ length: 10_000 }, () => ({ name: 'a' })), '{{ x }}'])).toEqual([
      'The input "Lines" (lines) must have at most 10,000 items.',
    ]);
    expect(problemsOf(['{{ x }}', ...Array.from({ length: 100 }, () => ({}))])).toHaveLength(20);
    expect(problemsOf([{ name: '{{ x }}', rows: [] }, ...names(9_999).map(() => ({ name: 'a' }))])).toEqual([]);
  });

  it('is judged in a draft but for its expressions', () => {
    expect(problemsOf('{{ step.rows }}')).toEqual([]);
    expect(problemsOf({ name: '{{ step.names }}', amount: 'x' })).toEqual([]);
    expect(problemsOf(['{{ step.row }}', { name: '{{ step.name }}', amount: 'much' }, {}, 5])).toEqual([
      'The input "Amount" (lines[1].amount) must be a number.',
      'The input "Name" (lines[2].name) is required.',
      'The input "Lines" (lines[3]) must be an object.',
    ]);
    expect(problemsOf([{ name: 'a', amount: 'much' }])).toEqual([
      'The input "Amount" (lines[0].amount) must be a number.',
    ]);
  });

  it('may have lists of objects as members', () => {
    const orders: Prop = { kind: 'array', displayName: 'Orders', required: false, members: { lines } };

    expect(coerceInput({ orders }, { orders: [{ lines: [{ name: 'a', amount: 'x' }] }] })).toEqual({
      problems: ['The input "Amount" (orders[0].lines[0].amount) must be a number.'],
    });
  });
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
