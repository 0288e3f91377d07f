import {
  FLOW_RUN_STATUSES,
  type FlowRunFilter,
  type FlowRunStatus,
  type RunBucket,
  type RunHistogram,
} from '@millrace/domain';
import type { DataSource } from 'typeorm';
import { rowsOf } from '../lists/list-statement';
import {
  boundedCount,
  oldestStatement,
  pagesStatement,
  sampledShare,
  sampleStatement,
  type CountRow,
  type SampleRow,
} from './run-histogram.statements';

const NO_RUNS: RunHistogram = { buckets: [], estimated: [] };

/** Counts the runs between each two neighbouring edges. Where there are too many to count, the number is estimated. */
export async function readHistogram(
  dataSource: DataSource,
  filter: FlowRunFilter,
  edges: readonly Date[],
): Promise<RunHistogram> {
  const count = edges.length < 2 ? null : boundedCount(filter, edges);
  if (!count || !(await isOfProject(dataSource, filter))) return NO_RUNS;
  const rows = await rowsOf<CountRow>(dataSource, count.statement);
  const buckets = emptyBuckets(edges);
  for (const { bucket, status, matches } of rows) raise(buckets[bucket], status, matches);
  const estimated = cutStatuses(rows, count.most, filter);
  if (estimated.length > 0) estimate(buckets, estimated, await sample(dataSource, filter, edges));
  return buckets.every(isEmpty) ? NO_RUNS : { buckets, estimated };
}

/** Asked once, because to ask it of each run would mean to read its row: an index has the rest. */
async function isOfProject(dataSource: DataSource, filter: FlowRunFilter): Promise<boolean> {
  return filter.flowId === undefined || (await rowsOf(dataSource, oldestStatement(filter))).length > 0;
}

interface Sample {
  /** The share of the table that was read. */
  share: number;
  rows: readonly SampleRow[];
}

async function sample(dataSource: DataSource, filter: FlowRunFilter, edges: readonly Date[]): Promise<Sample> {
  const [{ pages } = { pages: 0 }] = await rowsOf<{ pages: number }>(dataSource, pagesStatement(edges));
  const share = sampledShare(pages);
  return { share, rows: await rowsOf<SampleRow>(dataSource, sampleStatement(filter, edges, share)) };
}

function emptyBuckets(edges: readonly Date[]): RunBucket[] {
  return edges.slice(1).map((end, n) => ({
    start: edges[n] ?? end,
    end,
    counts: Object.fromEntries(FLOW_RUN_STATUSES.map((status) => [status, 0])) as RunBucket['counts'],
  }));
}

/** Returns the statuses that may have more runs than were looked at. */
export function cutStatuses(
  rows: readonly CountRow[],
  most: number,
  { tags }: Pick<FlowRunFilter, 'tags'>,
): FlowRunStatus[] {
  const looked = (all: readonly CountRow[]): number => all.reduce((sum, row) => sum + row.looked, 0);
  const found = FLOW_RUN_STATUSES.filter((status) => rows.some((row) => row.status === status));
  // The range of a tag may have runs of several statuses, because a tagged row keeps the status it was tagged in.
  if (tags?.length) return looked(rows) >= most ? found : [];
  return found.filter((status) => looked(rows.filter((row) => row.status === status)) >= most);
}

/** Raises the numbers of these statuses to what the sample tells. There are at least as many runs as were counted. */
export function estimate(
  buckets: readonly RunBucket[],
  statuses: readonly FlowRunStatus[],
  { share, rows }: Sample,
): void {
  for (const { bucket, status, sampled } of rows)
    if (statuses.includes(status)) raise(buckets[bucket], status, Math.round(sampled / share));
}

const isEmpty = ({ counts }: RunBucket): boolean => Object.values(counts).every((count) => count === 0);

function raise(bucket: RunBucket | undefined, status: FlowRunStatus, count: number): void {
  if (bucket) bucket.counts[status] = Math.max(bucket.counts[status], count);
}
