import type { RunSlot, WaitingBounds } from './run-slot';
import { RunSlots } from './run-slots';

/** Returns work that ends when the test tells it to. */
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

    const all = [a, b, c].map((each) => slots.take('a', each!.run));
    await settled();
    expect(begun).toEqual(['a', 'b']);
    b!.end();
    await settled();
    expect(begun).toEqual(['a', 'b', 'c']);

    for (const each of [a, c]) each!.end();
    await Promise.all(all);
  });

  it('gives the result of the work, and its failure, and the slot back after both', async () => {
    const slots = new RunSlots(1);

    for (let n = 0; n < 5; n++)
      await expect(slots.take('a', () => Promise.reject(new Error('Away.')))).rejects.toThrow('Away.');
    expect(await slots.take('a', () => Promise.resolve(7))).toBe(7);
    expect(await slots.take('a', () => Promise.resolve(8))).toBe(8);
  });

  it('gives a slot to another run while its own only waits, and takes it back before runs that have not begun', async () => {
    const slots = new RunSlots(1);
    const begun: string[] = [];
    const { signal } = new AbortController();
    const [second, third] = ['second', 'third'].map((name) => work(name, begun));
    let first: RunSlot | undefined;
    const end = work('first', begun);

    const all = [
      slots.take('a', (slot) => {
        first = slot;
        return end.run();
      }),
      slots.take('a', second!.run),
      slots.take('a', third!.run),
    ];
    await settled();
    expect(begun).toEqual(['first']);

    first!.leave(100);
    await settled();
    expect([begun, slots.withoutSlot]).toEqual([['first', 'second'], 1]);

    const back = first!.comeBack(signal)!.then(() => begun.push('first again'));
    await settled();
    second!.end();
    await back;
    expect([begun, slots.withoutSlot]).toEqual([['first', 'second', 'first again'], 0]);

    for (const each of [end, third]) each!.end();
    await Promise.all(all);
    expect(slots.freeSlots).toBe(1);
  });

  it.each<[string, WaitingBounds, number]>([
    ['runs', { runs: 2, bytes: 1_000 }, 2],
    ['bytes', { runs: 10, bytes: 350 }, 3],
  ])('lets a run keep its slot when too many wait already: %s', async (_what, bounds, admitted) => {
    const slots = new RunSlots(5, bounds);
    const end = work('run', []);
    const all = Array.from({ length: 5 }, () =>
      slots.take('a', (slot) => {
        slot.leave(100);
        return end.run();
      }),
    );
    await settled();

    expect([slots.withoutSlot, slots.freeSlots]).toEqual([admitted, admitted]);
    end.end();
    await Promise.all(all);
    expect([slots.withoutSlot, slots.freeSlots]).toEqual([0, 5]);
  });

  it('keeps no aborted run waiting for its way back', async () => {
    const slots = new RunSlots(1);
    const controller = new AbortController();
    const other = work('other', []);
    const aborted = slots.take('a', async (slot) => {
      slot.leave(0);
      const inItsSlot = slots.take('a', other.run);
      const back = slot.comeBack(controller.signal);
      controller.abort();
      await back;
      return inItsSlot;
    });
    await settled();

    other.end();
    await aborted;
    expect([slots.withoutSlot, slots.freeSlots]).toEqual([0, 1]);
  });

  it('waits again when a run does before it has come back', async () => {
    const slots = new RunSlots(1);
    const { signal } = new AbortController();
    const other = work('other', []);
    const again = slots.take('a', async (slot) => {
      slot.leave(0);
      const inItsSlot = slots.take('a', other.run);
      void slot.comeBack(signal);
      slot.leave(0);
      other.end();
      await inItsSlot;
      expect([slots.withoutSlot, slots.freeSlots]).toEqual([1, 1]);
      await slot.comeBack(signal);
      expect([slots.withoutSlot, slots.freeSlots]).toEqual([0, 0]);
    });
    await again;

    expect(slots.freeSlots).toBe(1);
  });

  it('says when a run that waited begins, and when a slot gets free', async () => {
    const slots = new RunSlots(1);
    const room: object[] = [];
    slots.onMoreRoom(() => room.push({ free: slots.freeSlots, notBegun: slots.notBegun }));

    await Promise.all([slots.take('a', () => Promise.resolve()), slots.take('a', () => Promise.resolve())]);

    expect(room).toEqual([
      { free: 0, notBegun: 0 },
      { free: 1, notBegun: 0 },
    ]);
  });
});
