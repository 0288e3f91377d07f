import { readParts, type StepSummary } from './run-parts';
import { failedPath, iterationsOf, resultAt, type StepResults } from './step-results';
import { timelineRows } from './timeline-rows';

const aSummary = (path: string, with_: Partial<StepSummary> = {}): StepSummary => ({
  path,
  type: 'CODE',
  status: 'SUCCEEDED',
  duration: 3,
  ...with_,
});
const loop = (path: string, count: number, firstFailed: number | null) =>
  aSummary(path, {
    type: 'LOOP_ON_ITEMS',
    status: firstFailed === null ? 'SUCCEEDED' : 'FAILED',
    iterations: { count, failed: firstFailed === null ? 0 : 1, firstFailed },
  });

/** 10,000 orders, of which one fails at its third line. */
const PLACES: Record<string, StepSummary[]> = {
  '': [aSummary('trigger', { type: 'WEBHOOK' }), loop('orders', 10_000, 7)],
  'orders[7]': [loop('orders[7].lines', 5, 2)],
  'orders[7].lines[2]': [aSummary('orders[7].lines[2].tell', { status: 'FAILED' })],
  'orders[9]': [loop('orders[9].lines', 1, null)],
  'orders[9].lines[0]': [aSummary('orders[9].lines[0].tell')],
  'orders[9999]': [loop('orders[9999].lines', 0, null)],
};

describe('a run that is read in parts', () => {
  const parts = async (...chosen: string[]) => {
    const places: string[] = [];
    const results = await readParts(chosen, (place) => {
      places.push(place);
      return Promise.resolve(PLACES[place] ?? []);
    });
    return { places, results };
  };
  const count = (results: StepResults, path: string) => {
    const result = resultAt(results, path);
    return result && iterationsOf(result).length;
  };

  it('is read where it failed first, and nowhere else', async () => {
    const { places, results } = await parts();

    expect(places).toEqual(['', 'orders[7]', 'orders[7].lines[2]']);
    expect(failedPath(results, 'tell')).toBe('orders[7].lines[2].tell');
    expect(count(results, 'orders')).toBe(10_000);
  });

  it('is read at the chosen place too, and the timeline shows that', async () => {
    const { results } = await parts('orders[9].lines[0].tell');
    const rows = timelineRows(results, ['orders[9].lines[0].tell']);

    expect(rows.map(({ path }) => path)).toEqual([
      ...['trigger', 'orders', 'orders', 'orders[9].lines', 'orders[9].lines', 'orders[9].lines[0].tell'],
    ]);
    expect(rows.find(({ kind }) => kind === 'iteration')).toMatchObject({ count: 10_000, index: 9, firstFailed: 7 });
    expect(failedPath(results, 'tell')).toBe('orders[7].lines[2].tell');
  });

  it('is read at the last iteration when the chosen one is not there', async () => {
    const { places, results } = await parts('orders[20000]');

    expect(places).toContain('orders[9999]');
    expect(count(results, 'orders[9999].lines')).toBe(0);
  });
});
