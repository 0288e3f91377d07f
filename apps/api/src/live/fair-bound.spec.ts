import { FairBound } from './fair-bound';

/** Lets the holder take as much as it may. Returns how much that was. */
function takeAll(bound: FairBound, holder: string): number {
  let taken = 0;
  for (; bound.hasRoomFor(holder); taken++) bound.take(holder);
  return taken;
}

describe('FairBound', () => {
  it('gives one holder half, and always leaves something for another', () => {
    const bound = new FairBound(1_000);

    expect(takeAll(bound, 'greedy')).toBe(500);

    for (let i = 0; i < 8; i++) expect(takeAll(bound, `other ${i}`)).toBeGreaterThan(0);
    expect(bound.of('greedy')).toBe(500);
  });

  it('gives two that take turns a third each', () => {
    const bound = new FairBound(900);

    while (bound.hasRoomFor('a') || bound.hasRoomFor('b'))
      for (const holder of ['a', 'b']) if (bound.hasRoomFor(holder)) bound.take(holder);

    expect([bound.of('a'), bound.of('b')]).toEqual([300, 300]);
  });

  it('takes back what was given, and no more', () => {
    const bound = new FairBound(4);
    const [first] = [bound.take('a'), bound.take('a')];
    expect(bound.hasRoomFor('a')).toBe(false);

    first?.();
    first?.();

    expect([bound.of('a'), bound.hasRoomFor('a')]).toEqual([1, true]);
  });
});
