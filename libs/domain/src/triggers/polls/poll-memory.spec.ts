import { shownText } from '../../connections/value-references';
import { MOST_KEYS, MOST_RUNS, NO_MEMORY, takeFindings, type PollMemory } from './poll-memory';
import { polledItem } from './polled-item';

const itemsNamed = (...names: (string | number)[]) => names.map((name) => polledItem({ name: `${name}`, value: name }));
const numbered = (from: number, to: number) => itemsNamed(...Array.from({ length: to - from }, (_, i) => from + i));

/** Polls a source one time after another, and gives the payloads of the runs of each time. */
function pollsOf(lists: ReturnType<typeof itemsNamed>[], source = 's', memory: PollMemory = NO_MEMORY) {
  const started: string[][] = [];
  for (const items of lists) {
    const taken = takeFindings(memory, { source, store: {}, items });
    started.push(taken.starting.map(({ payload }) => shownText(payload)));
    memory = taken.memory;
  }
  return { started, memory };
}

describe('takeFindings', () => {
  it('starts nothing at the first poll, and then one run for each new item, oldest first', () => {
    const { started } = pollsOf([itemsNamed(1, 2), itemsNamed(1, 2, 3, 4), itemsNamed(3, 4, 5)]);

    expect(started).toEqual([[], ['3', '4'], ['5']]);
  });

  it('starts a run for the first item of a source that was empty', () => {
    expect(pollsOf([[], itemsNamed(1)]).started).toEqual([[], ['1']]);
  });

  it('starts no second run for an item that changes its place, or that is gone for a while', () => {
    const lists = [itemsNamed(0), itemsNamed(0, 1, 2, 3), itemsNamed(3, 0, 2), itemsNamed(4), itemsNamed(2, 1, 4, 3)];

    expect(pollsOf(lists).started).toEqual([[], ['1', '2', '3'], [], ['4'], []]);
  });

  it('starts one run for an item that is listed twice', () => {
    expect(pollsOf([[], itemsNamed(1, 1)]).started[1]).toEqual(['1']);
  });

  it('remembers the keys of this poll, and of those before the ones that were seen last', () => {
    const { memory } = pollsOf([numbered(0, 9_000), numbered(9_000, 12_000)]);

    expect(memory.seen).toHaveLength(MOST_KEYS);
    const remembered = new Set(memory.seen);
    expect(numbered(0, 7_000).every(({ key }) => remembered.has(key))).toBe(true);
    expect(numbered(9_000, 12_000).every(({ key }) => remembered.has(key))).toBe(true);
  });

  it('keeps an item that is still listed, however many others came since', () => {
    const lists = [
      itemsNamed('old'),
      ...Array.from({ length: 30 }, (_, i) => [...itemsNamed('old'), ...numbered(i * 1_000, i * 1_000 + 1_000)]),
    ];
    const { memory } = pollsOf(lists);

    expect(pollsOf([itemsNamed('old', 'new')], 's', { ...memory, waiting: [] }).started).toEqual([['"new"']]);
  });

  it('leaves what is too much for one time waiting, and loses nothing of it', () => {
    const { started, memory } = pollsOf([[], numbered(0, MOST_RUNS + 2)]);

    expect(started[1]).toHaveLength(MOST_RUNS);
    expect(memory.waiting.map(({ payload }) => payload)).toEqual([`${MOST_RUNS}`, `${MOST_RUNS + 1}`]);
  });

  it('counts the first poll of another source as a first one, and keeps what still waits', () => {
    const { memory } = pollsOf([[], numbered(0, MOST_RUNS + 1)]);
    const other = takeFindings(memory, { source: 'other', store: {}, items: itemsNamed('a') });

    expect(other.starting.map(({ payload }) => payload)).toEqual([`${MOST_RUNS}`]);
    expect(pollsOf([itemsNamed('a', 'b')], 'other', other.memory).started).toEqual([['"b"']]);
  });

  it('is the same memory when nothing has changed', () => {
    const { memory } = pollsOf([itemsNamed(1, 2)]);

    expect(takeFindings(memory, { source: 's', store: memory.store, items: itemsNamed(2, 1) }).memory).toBe(memory);
  });
});
