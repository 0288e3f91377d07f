import { Places } from './places';

describe('places', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** Takes places one after the other, and says who has got one and who has not. */
  function users(places: Places, names: readonly string[]) {
    const ended: string[] = [];
    const all = names.map((name) =>
      places.take().then(
        () => ended.push(name),
        ({ message }: Error) => ended.push(`${name}: ${message}`),
      ),
    );
    return { ended, settled: () => Promise.all(all), soon: () => jest.advanceTimersByTimeAsync(0) };
  }

  it('are for so many at once, and then for who waits longest', async () => {
    const places = new Places(2, () => new Error('none'));
    const { ended, soon, settled } = users(places, ['a', 'b', 'c', 'd']);
    await soon();
    expect(ended).toEqual(['a', 'b']);

    places.giveBack();
    await soon();
    expect(ended).toEqual(['a', 'b', 'c']);
    places.giveBack();
    await settled();
    places.giveBack();
    await places.take();
    expect(ended).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are not waited for without end', async () => {
    const places = new Places(1, () => new Error('none'));
    const { ended, settled } = users(places, ['a', 'b']);
    await jest.advanceTimersByTimeAsync(30_000);
    await settled();
    expect(ended).toEqual(['a', 'b: none']);

    places.giveBack();
    await places.take();
  });
});
