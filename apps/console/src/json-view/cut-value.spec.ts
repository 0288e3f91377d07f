import { cutValueOf, isKnownAt } from './cut-value';

const value = { lines: [{ text: 'long' }], 'a/b': 1, other: 2 };

describe('isKnownAt', () => {
  it('is so everywhere in a whole value', () => {
    expect(isKnownAt(cutValueOf(value, []), ['nothing'])).toBe(true);
  });

  it('is so beside what was cut, and of items that are there', () => {
    const cut = cutValueOf(value, [{ path: '/lines', count: 30 }]);
    expect(isKnownAt(cut, ['other'])).toBe(true);
    expect(isKnownAt(cut, ['lines', 0])).toBe(true);
    expect(isKnownAt(cut, ['nothing'])).toBe(true);
  });

  it('is not so of what was cut, of what has it inside, and of what may be in the rest', () => {
    const cut = cutValueOf(value, [
      { path: '/lines', count: 30 },
      { path: '/lines/0/text', count: 1_000 },
      { path: '/a~1b', count: 5 },
    ]);
    expect(isKnownAt(cut, [])).toBe(false);
    expect(isKnownAt(cut, ['lines'])).toBe(false);
    expect(isKnownAt(cut, ['lines', 0, 'text'])).toBe(false);
    expect(isKnownAt(cut, ['lines', 7])).toBe(false);
    expect(isKnownAt(cut, ['a/b'])).toBe(false);
  });
});
