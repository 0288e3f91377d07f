import { shortenValue } from './shortened-value';

const ENOUGH = 20_000;

describe('shortenValue', () => {
  it.each([null, 7, false, 'text', [], {}, { a: [1, { b: 'c' }], d: null }])('leaves %j as it is', (value) =>
    expect(shortenValue(value, ENOUGH)).toEqual({ value, cuts: [] }),
  );

  it('shows the beginning of long texts and lists, and says how long they are', () => {
    const long = { text: 'x'.repeat(501), list: Array.from({ length: 21 }, (_, i) => i) };
    expect(shortenValue(long, ENOUGH)).toEqual({
      value: { text: 'x'.repeat(500), list: long.list.slice(0, 20) },
      cuts: [
        { path: '/text', type: 'text', count: 501 },
        { path: '/list', type: 'list', count: 21 },
      ],
    });
  });

  it('cuts no character into halves', () => {
    expect(shortenValue(`${'x'.repeat(499)}\u{1F600}`, ENOUGH).value).toBe('x'.repeat(499));
  });

  it('shows the first members of an object, and none with an endless name', () => {
    const members = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`m${i}`, i]));
    const { value, cuts } = shortenValue({ members, named: { ['n'.repeat(201)]: 1, short: 2 } }, ENOUGH);
    expect(Object.keys((value as { members: object }).members)).toHaveLength(100);
    expect(value).toHaveProperty('named', { short: 2 });
    expect(cuts).toEqual([
      { path: '/members', type: 'object', count: 101 },
      { path: '/named', type: 'object', count: 2 },
    ]);
  });

  it('shows no more than the first levels', () => {
    let deep: unknown = 'bottom';
    for (let i = 0; i < 1_000; i++) deep = [deep];
    const { value, cuts } = shortenValue(deep, ENOUGH);
    expect(JSON.stringify(value)).toBe('['.repeat(13) + ']'.repeat(13));
    expect(cuts).toEqual([{ path: '/0'.repeat(12), type: 'list', count: 1 }]);
  });

  it('keeps about to the characters that it is given', () => {
    const wide = Array.from({ length: 20 }, () => Array.from({ length: 20 }, () => ({ a: 'x'.repeat(400) })));
    const { value, cuts } = shortenValue(wide, 1_000);
    expect(JSON.stringify(value).length).toBeLessThan(1_500);
    expect(cuts[0]).toEqual({ path: '', type: 'list', count: 20 });
  });

  it('keeps a member called __proto__ a member', () => {
    const value: unknown = JSON.parse('{"__proto__":{"a":1}}');
    expect(JSON.stringify(shortenValue(value, ENOUGH).value)).toBe('{"__proto__":{"a":1}}');
  });
});
