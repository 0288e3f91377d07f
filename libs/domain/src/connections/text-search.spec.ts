import { TextSearch } from './text-search';

describe('TextSearch', () => {
  const search = new TextSearch(['needle', 'needles', 'pinpoint', 'aaaaaa']);

  it.each([
    ['', []],
    ['needl', []],
    ['needle', [[0, 'needle']]],
    ['a needles b', [[2, 'needles']]],
    [
      'needle pinpoint needle',
      [
        [0, 'needle'],
        [7, 'pinpoint'],
        [16, 'needle'],
      ],
    ],
    [
      'aaaaaaaaaaaaa',
      [
        [0, 'aaaaaa'],
        [6, 'aaaaaa'],
      ],
    ],
    ['neeneedle', [[3, 'needle']]],
  ])('finds in "%s" %j', (text, expected) =>
    expect([...search.findAll(text)].map(({ at, pattern }) => [at, pattern])).toEqual(expected),
  );

  it('finds what a plain search finds', () => {
    const random = (seed: number) => () => (seed = (seed * 16_807) % 2_147_483_647);
    const next = random(7);
    const word = (length: number) => Array.from({ length }, () => 'ab\u00fc'[next() % 3]).join('');
    for (let round = 0; round < 300; round++) {
      const patterns = [...new Set([word(6), word(7), word(9), word(6)])];
      const text = word(400);
      const first = patterns.map((each) => text.indexOf(each)).filter((at) => at >= 0);
      const found = new TextSearch(patterns).find(text);
      expect(found?.at).toBe(first.length > 0 ? Math.min(...first) : undefined);
    }
  });
});
