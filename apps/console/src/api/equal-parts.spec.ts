import { withEqualParts } from './equal-parts';

const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe('withEqualParts', () => {
  const before = { run: { id: 1, tags: ['a'] }, steps: { one: { output: 1 }, two: { output: [1, 2] } } };

  it('is the value before when nothing differs', () => expect(withEqualParts(before, copyOf(before))).toBe(before));

  it('keeps the parts that are equal, and no other', () => {
    const after = copyOf(before);
    after.steps.one.output = 3;

    const kept = withEqualParts(before, after) as typeof before;

    expect(kept).toEqual(after);
    expect(kept.run).toBe(before.run);
    expect(kept.steps.two).toBe(before.steps.two);
    expect(kept.steps.one).not.toBe(before.steps.one);
  });

  it('keeps keys that have a meaning for objects', () => {
    const after = JSON.parse('{"__proto__":{"a":1},"constructor":2,"new":3}') as object;

    const kept = withEqualParts(JSON.parse('{"__proto__":{"a":1}}'), after);

    expect(JSON.stringify(kept)).toBe('{"__proto__":{"a":1},"constructor":2,"new":3}');
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
  });

  it.each([
    ['a key more', { a: 1 }, { a: 1, b: 2 }],
    ['a key less', { a: 1, b: 2 }, { a: 1 }],
    ['another key', { a: 1 }, { b: 1 }],
    ['a key that every object inherits', {}, { toString: null }],
    ['an item more', [1], [1, 2]],
    ['an item less', [1, 2], [1]],
    ['a list in place of an object', {}, []],
    ['nothing', { a: {} }, { a: null }],
    ['a map', { a: 1 }, new Map([['a', 1]])],
  ])('is the new value for %s', (_, old, now) => expect(withEqualParts(old, now)).toEqual(now));
});
