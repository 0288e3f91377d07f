import { bucketEdges } from './run-histogram';

const at = (text: string): Date => new Date(text);
const HOUR_MS = 3_600_000;

describe('bucketEdges', () => {
  it('takes the shortest span that people count in with which there are few enough', () => {
    const edges = bucketEdges(at('2026-11-26T09:03:00Z'), at('2026-11-26T10:01:30Z'), 12);

    expect(edges[0]).toEqual(at('2026-11-26T09:00:00Z'));
    expect(edges[1]).toEqual(at('2026-11-26T09:10:00Z'));
    expect(edges.at(-1)).toEqual(at('2026-11-26T10:10:00Z'));
    expect(edges).toHaveLength(1 + 7);
  });

  it('leaves the edges where they are while time goes on', () => {
    const [from, to] = [at('2026-11-25T10:00:10Z'), at('2026-11-26T10:00:10Z')];
    const before = bucketEdges(from, to, 50);

    const after = bucketEdges(new Date(from.getTime() + 60_000), new Date(to.getTime() + 60_000), 50);

    expect(after).toEqual(before);
  });

  it.each([1, 2, 3, 50, 100])('covers a span of any length with at most %d', (most) => {
    for (const hours of [0.000_001, 0.01, 1, 30, 24 * 40, 24 * 400, 24 * 365 * 60]) {
      const from = at('1970-01-01T05:00:00.123Z');
      const to = new Date(from.getTime() + hours * HOUR_MS);

      const edges = bucketEdges(from, to, most).map((edge) => edge.getTime());

      expect(edges.length - 1).toBeGreaterThan(0);
      expect(edges.length - 1).toBeLessThanOrEqual(most);
      expect(edges[0]).toBeLessThanOrEqual(from.getTime());
      expect(edges.at(-1)).toBeGreaterThanOrEqual(to.getTime());
    }
  });

  it('is nothing for an empty span', () => {
    expect(bucketEdges(at('2026-11-26T10:00:00Z'), at('2026-11-26T10:00:00Z'), 50)).toEqual([]);
    expect(bucketEdges(at('2026-11-26T10:00:00Z'), at('2026-11-25T10:00:00Z'), 50)).toEqual([]);
  });
});
