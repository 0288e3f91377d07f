import { FairSlots, type SlotTicket } from './fair-slots';

/** Slots whose tickets have names, so that a test sees which tickets hold a slot. */
function named(slots: FairSlots) {
  const tickets: [name: string, ticket: SlotTicket][] = [];
  const take = (name: string, projectId: string, comesBack = false) =>
    void tickets.push([name, slots.take(projectId, comesBack)]);
  const end = (name: string) => tickets.find(([each]) => each === name)?.[1].end();
  const holding = () => tickets.filter(([, { isGranted }]) => isGranted).map(([name]) => name);
  return { take, end, holding };
}

describe('FairSlots', () => {
  it('lets a lone project have them all, and one beyond them wait', () => {
    const { take, end, holding } = named(new FairSlots(2, 2));

    for (const name of ['a1', 'a2', 'a3', 'a4']) take(name, 'a');
    expect(holding()).toEqual(['a1', 'a2']);
    end('a1');
    expect(holding()).toEqual(['a2', 'a3']);
  });

  it('gives a project that holds none one beyond them at once, as long as there are any', () => {
    const { take, end, holding } = named(new FairSlots(2, 2));

    for (const name of ['a1', 'a2', 'a3']) take(name, 'a');
    for (const project of ['b', 'c', 'd']) take(project, project);
    take('b2', 'b');
    expect(holding()).toEqual(['a1', 'a2', 'b', 'c']);

    end('a1');
    expect(holding()).toEqual(['a2', 'b', 'c', 'd']);
    end('b');
    expect(holding()).toEqual(['a2', 'c', 'd', 'b2']);
    end('c');
    end('d');
    expect(holding()).toEqual(['a2', 'b2']);
    end('b2');
    expect(holding()).toEqual(['a2', 'a3']);
  });

  it('gives a free slot to the project that holds the fewest, and among equals in turn', () => {
    const { take, end, holding } = named(new FairSlots(3, 0));
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) take(name, 'a');
    for (const name of ['b1', 'b2', 'b3']) take(name, 'b');
    for (const name of ['c1', 'c2']) take(name, 'c');

    end('a1');
    expect(holding()).toEqual(['a2', 'a3', 'b1']);
    end('a2');
    expect(holding()).toEqual(['a3', 'b1', 'c1']);
    end('b1');
    expect(holding()).toEqual(['a3', 'b2', 'c1']);
    end('c1');
    expect(holding()).toEqual(['a3', 'b2', 'c2']);
  });

  it('lets who comes back go before who begins', () => {
    const { take, end, holding } = named(new FairSlots(1, 0));
    take('first', 'a');
    take('begins', 'a');
    take('comes back', 'a', true);

    end('first');

    expect(holding()).toEqual(['comes back']);
  });

  it('forgets who waits no longer', () => {
    const slots = new FairSlots(1, 0);
    const { take, end, holding } = named(slots);
    for (const name of ['first', 'second', 'third']) take(name, 'a');

    end('second');
    expect(slots.waiting).toBe(1);
    end('first');

    expect(holding()).toEqual(['third']);
    expect([slots.free, slots.waiting]).toEqual([0, 0]);
  });

  it('tells when more could begin, and when one that waited begins', () => {
    const slots = new FairSlots(2, 2);
    const { take, end } = named(slots);
    const grown = jest.fn();
    slots.onMoreRoom(grown);

    for (const name of ['a1', 'a2', 'a3']) take(name, 'a');
    expect([slots.free, slots.waiting]).toEqual([0, 1]);
    end('a1');
    expect(grown).toHaveBeenCalledTimes(1);
    expect([slots.free, slots.waiting]).toEqual([0, 0]);
    end('a2');
    expect(grown).toHaveBeenCalledTimes(2);
    expect(slots.free).toBe(1);
  });

  it('tells of no more room when a slot goes to a run that comes back', () => {
    const slots = new FairSlots(1, 0);
    const { take, end } = named(slots);
    const grown = jest.fn();
    slots.onMoreRoom(grown);

    take('first', 'a');
    take('begins', 'a');
    take('comes back', 'a', true);
    end('first');
    expect(grown).not.toHaveBeenCalled();
    end('comes back');
    expect(grown).toHaveBeenCalledTimes(1);
  });

  it.each(Array.from({ length: 20 }, (_, seed) => seed))('keeps its rules whatever happens (seed %d)', (seed) => {
    const [most, extra] = [1 + (seed % 5), seed % 4];
    const slots = new FairSlots(most, extra);
    const random = randomFrom(seed);
    const living: { project: string; ticket: SlotTicket }[] = [];
    let told = 0;
    slots.onMoreRoom(() => told++);

    for (let turn = 0; turn < 400; turn++) {
      const project = 'abcd'[random(4)]!;
      const [roomBefore, toldBefore] = [slots.free - slots.waiting, told];
      if (random(3) > 0) living.push({ project, ticket: slots.take(project, random(2) === 0) });
      else living.splice(random(living.length), 1)[0]?.ticket.end();

      expect(told > toldBefore).toBe(slots.free - slots.waiting > roomBefore);
      const held = living.filter(({ ticket }) => ticket.isGranted);
      const waiting = living.filter(({ ticket }) => !ticket.isGranted);
      expect(held.length).toBeLessThanOrEqual(most + extra);
      if (waiting.length === 0) continue;
      expect(held.length).toBeGreaterThanOrEqual(most);
      const holdsNone = waiting.filter(({ project: of }) => !held.some((each) => each.project === of));
      if (holdsNone.length > 0) expect(held.length).toBe(most + extra);
    }
    for (const { ticket } of living) ticket.end();
    expect([slots.free, slots.waiting]).toEqual([most, 0]);
  });

  it('knows whose turn is before that of others who wait', () => {
    const slots = new FairSlots(4, 2);
    for (let n = 0; n < 6; n++) slots.take('a');
    slots.take('b');

    expect(['a', 'b', 'c'].map((project) => slots.hasTurnFor(project))).toEqual([false, true, true]);
    slots.take('b');
    slots.take('c');
    expect(['a', 'b', 'c', 'd'].map((project) => slots.hasTurnFor(project))).toEqual([false, false, false, false]);
  });
});

/** A random sequence that is the same in every test run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % Math.max(1, below);
  };
}
