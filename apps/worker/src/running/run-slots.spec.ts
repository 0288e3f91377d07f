import { RunSlots } from './run-slots';

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

  it('gives the result of the work, and its failure, and the slot back after both', async () => {
    const slots = new RunSlots(1);

    await expect(slots.take(() => Promise.reject(new Error('Away.')))).rejects.toThrow('Away.');
    expect(await slots.take(() => slots.alone(() => Promise.resolve(7)))).toBe(7);
    await expect(slots.take(() => slots.alone(() => Promise.reject(new Error('Away.'))))).rejects.toThrow('Away.');
    expect(await slots.take(() => Promise.resolve(8))).toBe(8);
  });

  it('begins who wants to be alone after those in flight, and others after it', async () => {
    const slots = new RunSlots(10);
    const begun: string[] = [];
    const [before, suspect, after] = ['before', 'suspect', 'after'].map((name) => work(name, begun));

    const all = [slots.take(before!.run), slots.take(() => slots.alone(suspect!.run)), slots.take(after!.run)];
    await settled();
    expect(begun).toEqual(['before']);
    before!.end();
    await settled();
    expect(begun).toEqual(['before', 'suspect']);
    suspect!.end();
    await settled();
    expect(begun).toEqual(['before', 'suspect', 'after']);

    after!.end();
    await Promise.all(all);
  });

  it('lets several that want to be alone have their turns', async () => {
    const slots = new RunSlots(10);
    const begun: string[] = [];
    const [before, one, two, after] = ['before', 'one', 'two', 'after'].map((name) => work(name, begun));
    // Both are under way before they turn out to be suspect.
    const both = [one!, two!].map(({ run }) => slots.take(() => settled().then(() => slots.alone(run))));

    const all = [...both, slots.take(before!.run)];
    await settled();
    await settled();
    const late = slots.take(after!.run);
    for (const each of [before!, one!, two!]) {
      each.end();
      await settled();
    }
    expect(begun).toEqual(['before', 'one', 'two', 'after']);

    after!.end();
    await Promise.all([...all, late]);
  });

  it('does not wait for those in flight for longer than 20 s', async () => {
    jest.useFakeTimers();
    const slots = new RunSlots(10);
    const begun: string[] = [];
    const [endless, suspect] = ['endless', 'suspect'].map((name) => work(name, begun));

    const all = [slots.take(endless!.run), slots.take(() => slots.alone(suspect!.run))];
    await jest.advanceTimersByTimeAsync(19_900);
    expect(begun).toEqual(['endless']);
    await jest.advanceTimersByTimeAsync(100);
    expect(begun).toEqual(['endless', 'suspect']);

    for (const each of [endless, suspect]) each!.end();
    await Promise.all(all);
    jest.useRealTimers();
  });
});
