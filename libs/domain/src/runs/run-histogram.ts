import type { FlowRunStatus } from '../run-status';

/** How many runs there were over time. */
export interface RunHistogram {
  buckets: RunBucket[];
  /** The statuses with too many runs to count each: their numbers are estimated from a sample. */
  estimated: FlowRunStatus[];
}

/** The runs that were created from `start` to before `end`. */
export interface RunBucket {
  start: Date;
  end: Date;
  counts: Record<FlowRunStatus, number>;
}

export const MOST_BUCKETS = 100;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Spans that people count in. Longer ones are whole days. */
const WIDTHS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  DAY,
];

/**
 * Divides a span of time into at most so many buckets of one width, and returns their edges: one more than there are
 * buckets, or none when the span is empty. The edges are multiples of the width, so that they stay where they are while
 * time goes on; a single bucket is the span itself.
 */
export function bucketEdges(from: Date, to: Date, most: number): Date[] {
  const [begin, end] = [from.getTime(), to.getTime()];
  if (begin >= end) return [];
  if (most === 1) return [from, to];
  const width = widthFor(begin, end, most);
  const first = Math.floor(begin / width);
  return Array.from({ length: countOf(begin, end, width) + 1 }, (_, n) => new Date((first + n) * width));
}

function widthFor(begin: number, end: number, most: number): number {
  // A span that does not begin at an edge needs one bucket more than its length says.
  const longest = Math.ceil((end - begin) / (most - 1) / DAY) * DAY;
  const shorter = Math.ceil((end - begin) / most / DAY) * DAY;
  return [...WIDTHS, shorter].find((width) => countOf(begin, end, width) <= most) ?? longest;
}

const countOf = (begin: number, end: number, width: number): number =>
  Math.ceil(end / width) - Math.floor(begin / width);
