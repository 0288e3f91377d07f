import { barsOf, summaryOf, type Bucket } from './run-chart-bars';

const NONE = {
  RUNNING: 0,
  PAUSED: 0,
  SUCCEEDED: 0,
  FAILED: 0,
  TIMEOUT: 0,
  STOPPED: 0,
  QUOTA_EXCEEDED: 0,
  INTERNAL_ERROR: 0,
};
const bucket = (minute: number, counts: Partial<Bucket['counts']> = {}): Bucket => ({
  start: new Date(Date.UTC(2026, 10, 26, 9, minute)).toISOString(),
  end: new Date(Date.UTC(2026, 10, 26, 9, minute + 5)).toISOString(),
  counts: { ...NONE, ...counts },
});

describe('barsOf', () => {
  it('fills the chart with the longest bar, the failed runs at the bottom', () => {
    const [, long] = barsOf([bucket(0, { SUCCEEDED: 10 }), bucket(5, { SUCCEEDED: 30, FAILED: 6, TIMEOUT: 4 })], 40);

    expect(long?.parts).toEqual([
      { tone: 'bad', y: 30, height: 10 },
      { tone: 'good', y: 0, height: 30 },
    ]);
  });

  it('shows a single failed run beside thousands, within the chart', () => {
    const [bar] = barsOf([bucket(0, { SUCCEEDED: 9_999, FAILED: 1 })], 40);

    expect(bar?.parts).toEqual([
      { tone: 'bad', y: 38, height: 2 },
      { tone: 'good', y: 0, height: 38 },
    ]);
  });

  it('has no part where there was no run', () => expect(barsOf([bucket(0)], 40)[0]?.parts).toEqual([]));
});

describe('summaryOf', () => {
  it('tells how many runs there were, how many failed, and when most did', () =>
    expect(
      summaryOf({
        data: [bucket(0, { SUCCEEDED: 3, FAILED: 1 }), bucket(5, { FAILED: 2, TIMEOUT: 1 })],
        estimated: [],
      }),
    ).toEqual({
      from: '2026-11-26T09:00:00.000Z',
      to: '2026-11-26T09:10:00.000Z',
      widthMs: 300_000,
      runs: 7,
      failed: 4,
      worst: { start: '2026-11-26T09:05:00.000Z', failed: 3 },
      isEstimate: false,
    }));

  it('is nothing without a bucket', () => expect(summaryOf({ data: [], estimated: [] })).toBeNull());
});
