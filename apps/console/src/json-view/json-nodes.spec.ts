import { childrenOf, copiedText, pathText, search, valueAt } from './json-nodes';

const order = {
  body: {
    lines: [
      { article: 'Lamp', price: 40 },
      { article: 'desk', price: 400 },
    ],
  },
  ok: true,
};

describe('childrenOf', () => {
  it('gives no more children than are shown', () =>
    expect(childrenOf({ path: ['ids'], value: [7, 8, 9] }, 2)).toEqual([
      { path: ['ids', 0], value: 7 },
      { path: ['ids', 1], value: 8 },
    ]));

  it('keeps the order of the keys of an object', () =>
    expect(childrenOf({ path: [], value: { b: 1, a: 2 } }, 10).map(({ path }) => path)).toEqual([['b'], ['a']]));

  it('gives none of a text', () => expect(childrenOf({ path: [], value: 'text' }, 10)).toEqual([]));
});

describe('valueAt', () => {
  it('finds a value in lists and objects', () => expect(valueAt(order, ['body', 'lines', 1, 'price'])).toBe(400));

  it.each([[['body', 'gone', 0]], [['ok', 'length']], [['constructor']]])('finds nothing at %j', (path) =>
    expect(valueAt(order, path)).toBeUndefined(),
  );
});

describe('pathText', () => {
  it.each([
    [['body', 'lines', 0, 'unit price'], 'body.lines[0]["unit price"]'],
    [[3, 'name'], '[3].name'],
    [['a"b'], '["a\\"b"]'],
  ])('of %j is %s', (path, text) => expect(pathText(path)).toBe(text));
});

describe('copiedText', () => {
  it('is a text exactly as it is', () => expect(copiedText(' "a"\n')).toBe(' "a"\n'));

  it('is JSON for anything else', () => expect(copiedText({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}'));
});

describe('search', () => {
  it('finds texts and keys, in upper and lower case', () =>
    expect(search(order, 'LAMP', 10).nodes).toEqual([{ path: ['body', 'lines', 0, 'article'], value: 'Lamp' }]));

  it('finds a node by its key with all that is in it', () =>
    expect(search(order, 'lines', 10).nodes).toEqual([{ path: ['body', 'lines'], value: order.body.lines }]));

  it('finds a number that is exactly the one', () =>
    expect(search(order, '40', 10).nodes.map(({ path }) => pathText(path))).toEqual(['body.lines[0].price']));

  it('stops at the limit and says that there is more', () => {
    const { nodes, hasMore } = search(order, 'price', 1);

    expect([nodes.length, hasMore]).toEqual([1, true]);
  });

  it('walks a value that is nested a thousand times', () => {
    let deep: unknown = 'end';
    for (let level = 0; level < 1_000; level++) deep = [deep];

    expect(search(deep, 'end', 10).nodes[0]?.path).toHaveLength(1_000);
  });
});
