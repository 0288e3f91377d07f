import type { Schemas } from '../api/client';
import type { Tone } from '../controls/status';
import { RUN_STATUSES, STATUS_TONES } from '../run-status/run-words';

export type Bucket = Schemas['RunBucket'];
export type Histogram = Schemas['RunHistogram'];

/** One bar of the chart, with its parts from the bottom up. */
export interface Bar {
  bucket: Bucket;
  parts: { tone: Tone; y: number; height: number }[];
}

/** What went wrong stands on the ground, so that it can be compared from bar to bar. */
const TONES: readonly Tone[] = ['bad', 'waits', 'runs', 'idle', 'good'];
/** A part that is there can be seen, however small it is beside the others. */
const LEAST_HEIGHT = 2;

/** Returns the bars in a chart of this height, of which the longest fills it. */
export function barsOf(buckets: readonly Bucket[], height: number): Bar[] {
  const longest = Math.max(1, ...buckets.map(totalOf));
  return buckets.map((bucket) => {
    let y = height;
    const parts = TONES.flatMap((tone) => {
      const count = countOf(bucket, tone);
      if (count === 0) return [];
      const part = Math.min(y, Math.max(LEAST_HEIGHT, (height * count) / longest));
      y -= part;
      return [{ tone, y, height: part }];
    });
    return { bucket, parts };
  });
}

/** What a reader of the chart would see first. */
export interface ChartSummary {
  from: string;
  to: string;
  widthMs: number;
  runs: number;
  failed: number;
  /** The bucket with the most failed runs; null when none failed. */
  worst: { start: string; failed: number } | null;
  isEstimate: boolean;
}

export function summaryOf({ data: buckets, estimated }: Histogram): ChartSummary | null {
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (!first || !last) return null;
  const worst = buckets.reduce((one, other) => (failedIn(other) > failedIn(one) ? other : one));
  return {
    from: first.start,
    to: last.end,
    widthMs: Date.parse(first.end) - Date.parse(first.start),
    runs: sum(buckets.map(totalOf)),
    failed: sum(buckets.map(failedIn)),
    worst: failedIn(worst) === 0 ? null : { start: worst.start, failed: failedIn(worst) },
    isEstimate: estimated.length > 0,
  };
}

export const totalOf = ({ counts }: Bucket): number => sum(Object.values(counts));
export const failedIn = (bucket: Bucket): number => countOf(bucket, 'bad');

const countOf = ({ counts }: Bucket, tone: Tone): number =>
  sum(RUN_STATUSES.map((status) => (STATUS_TONES[status] === tone ? counts[status] : 0)));

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
