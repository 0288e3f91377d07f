import { parsePath, readPath } from './member-path';

describe('parsePath', () => {
  it.each([
    ['a', 'a', []],
    ['a.b.c', 'a', ['b', 'c']],
    ['step_1.body.items[0].id', 'step_1', ['body', 'items', 0, 'id']],
    ['a["b c"][\'d.e\']', 'a', ['b c', 'd.e']],
    ['a?.b?.[1]', 'a', ['b', 1]],
    ['class.new', 'class', ['new']],
    ['a["]"]', 'a', [']']],
    ['a[""]', 'a', ['']],
  ])('%s is a path', (source, head, keys) => expect(parsePath(source)).toEqual({ head, keys }));

  it.each(['', '1', 'a.', 'a b', 'a[b]', 'a()', 'a + b', 'a[01]', 'a[-1]', 'a["\\u0041"]', '.a', 'a..b', 'a["b]'])(
    '%j is not a path',
    (source) => expect(parsePath(source)).toBeNull(),
  );
});

describe('readPath', () => {
  const value = JSON.parse('{"list":[1,{"x":null}],"text":"héllo","__proto__":{"own":1},"constructor":7}') as unknown;

  it.each([
    [[], value],
    [['list', 1, 'x'], null],
    [['list', 'length'], 2],
    [['text', 'length'], 5],
    [['text', 1], 'é'],
    [['__proto__', 'own'], 1],
    [['constructor'], 7],
    [['list', 9], undefined],
    [['list', 'map'], undefined],
    [['text', 'toUpperCase'], undefined],
    [['list', 1, 'constructor'], undefined],
    [['list', 1, '__proto__'], undefined],
    [['list', 1, 'x', 'y'], undefined],
    [['nothing', 'at', 'all'], undefined],
  ])('%j', (keys, expected) => expect(readPath(value, keys)).toEqual(expected));
});
