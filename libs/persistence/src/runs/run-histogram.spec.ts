import type { RunBucket } from '@millrace/domain';
import { cutStatuses, estimate } from './run-histogram';
import type { CountRow } from './run-histogram.statements';

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
const aBucket = (counts: Partial<RunBucket['counts']> = {}): RunBucket => ({
  start: new Date(0),
  end: new Date(1),
  counts: { ...NONE, ...counts },
});
const row = (bucket: number, status: CountRow['status'], looked: number): CountRow => ({
  bucket,
  status,
  matches: looked,
  looked,
});

describe('cutStatuses', () => {
  it('finds the statuses that may have more runs than were looked at', () =>
    expect(cutStatuses([row(0, 'SUCCEEDED', 60), row(1, 'SUCCEEDED', 40), row(0, 'FAILED', 99)], 100, {})).toEqual([
      'SUCCEEDED',
    ]));

  it('takes all statuses together when a tag is asked for', () =>
    expect(cutStatuses([row(0, 'SUCCEEDED', 60), row(1, 'FAILED', 40)], 100, { tags: ['paid'] })).toEqual([
      'SUCCEEDED',
      'FAILED',
    ]));
});

describe('estimate', () => {
  it('takes from the sample only what was not counted', () => {
    const buckets = [aBucket({ SUCCEEDED: 100, FAILED: 3 })];
    const rows = [
      { bucket: 0, status: 'SUCCEEDED', sampled: 50 } as const,
      { bucket: 0, status: 'FAILED', sampled: 1 } as const,
    ];

    estimate(buckets, ['SUCCEEDED'], { share: 0.1, rows });

    expect(buckets).toEqual([aBucket({ SUCCEEDED: 500, FAILED: 3 })]);
  });

  it('is never below what was counted', () => {
    const buckets = [aBucket({ SUCCEEDED: 100 })];

    estimate(buckets, ['SUCCEEDED'], { share: 0.1, rows: [{ bucket: 0, status: 'SUCCEEDED', sampled: 2 }] });

    expect(buckets[0]?.counts.SUCCEEDED).toBe(100);
  });
});
