import { isLane, RunSlots, type SuspectLane } from './run-slots';

/** Work that ends when it is told to. */
function work(name: string, begun: string[]) {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const run = () => {
    begun.push(name);
    return ended;
  };
  return { run, end };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('RunSlots', () => {
  it('begins no more than there are slots', async () => {
    const slots = new RunSlots(2);
    const begun: string[] = [];
    const [a, b, c] = ['a', 'b', 'c'].map((name) => work(name, begun));

    const all = [a, b, c].map((each) => slots.take(each!.run));
    await settled();
    expect(begun).toEqual(['a', 'b']);
    b!.end();
    await settled();
    expect(begun).toEqual(['a', 'b', 'c']);

    for (const each of [a, c]) each!.end();
    await Promise.all(all);
  });

  it.each<[name: string, take: (slots: RunSlots, work: () => Promise<number>) => Promise<number>]>([
    ['a slot', (slots, run) => slots.take(run)],
    ['the shared lane', (slots, run) => slots.takeLane('sharedLane', run)],
    ['the single lane', (slots, run) => slots.takeLane('singleLane', run)],
  ])('gives the result of the work, and its failure, and %s back after both', async (_place, take) => {
    const slots = new RunSlots(1);

    for (let n = 0; n < 5; n++)
      await expect(take(slots, () => Promise.reject(new Error('Away.')))).rejects.toThrow('Away.');
    expect(await take(slots, () => Promise.resolve(7))).toBe(7);
    expect(await take(slots, () => Promise.resolve(8))).toBe(8);
  });

  it.each<[SuspectLane, number]>([
    ['sharedLane', 4],
    ['singleLane', 1],
  ])('lets so many suspects be in a lane at once: %s, %d', async (lane, most) => {
    const slots = new RunSlots(1);
    const begun: string[] = [];
    const suspects = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => work(name, begun));

    const all = suspects.map(({ run }) => slots.takeLane(lane, run));
    await settled();
    expect(begun).toHaveLength(most);
    suspects[0]!.end();
    await settled();
    expect(begun).toHaveLength(most + 1);

    for (const { end } of suspects) end();
    await Promise.all(all);
  });

  it('holds no run back for suspects, neither for those in their lanes nor for those that wait', async () => {
    const slots = new RunSlots(1);
    const begun: string[] = [];
    const lanes: SuspectLane[] = ['sharedLane', 'singleLane'];
    const suspects = lanes.flatMap((lane) => Array.from({ length: 20 }, () => ({ lane, ...work('suspect', []) })));

    const all = suspects.map(({ lane, run }) => slots.takeLane(lane, run));
    const ordinary = work('ordinary', begun);
    all.push(slots.take(ordinary.run));
    await settled();
    expect(begun).toEqual(['ordinary']);

    for (const { end } of [ordinary, ...suspects]) end();
    await Promise.all(all);
  });

  it('knows a lane by its name', () => {
    expect(['sharedLane', 'singleLane', 'ended', 'toString'].filter(isLane)).toEqual(['sharedLane', 'singleLane']);
  });
});
