import type { FlowRunFilter, FlowRunStatus } from '@millrace/domain';
import { StatementValues, type Statement } from '../lists/list-statement';
import { RUNS, runPartitionAt } from '../postgres/run-partitions';
import {
  firstRunAt,
  matchingText,
  namesPossibleRuns,
  possibleStatuses,
  rowConditions,
  timeConditions,
} from './matching-runs.statements';
import { findStatement } from './run-list.statements';

// A chart of a project with millions of runs may not take as long as counting them. So of each status a bounded number
// of runs is looked at, in the index ranges of a list. When there are more, a sample of the table's pages says about
// how many (ADR 0086).

/** How many runs of a status are looked at, when an index has all that is asked for. */
const MOST_IN_INDEX = 20_000;
/** The same, when the rows must be read. */
const MOST_ROWS = 3_000;
const PAGE_BYTES = 8_192;
/** How many pages of the table a sample reads. */
const SAMPLED_PAGES = 2_000;

export interface CountRow {
  /** The number of the bucket, from 0. */
  bucket: number;
  status: FlowRunStatus;
  matches: number;
  /** How many runs were looked at. */
  looked: number;
}

export interface SampleRow {
  bucket: number;
  status: FlowRunStatus;
  sampled: number;
}

/** The statement that counts within bounds, and how many runs of a status it looks at. */
export interface BoundedCount {
  statement: Statement;
  most: number;
}

/**
 * Returns the statement for the oldest run of the index ranges, which may be older than any that matches. It finds none
 * when the flow of the filter is not one of the project.
 */
export const oldestStatement = (filter: FlowRunFilter): Statement | null =>
  findStatement(partsOf(filter).indexed, null, 1);

/** The flow of the filter must be one of the project. Returns null when no run can match. */
export function boundedCount(filter: FlowRunFilter, edges: readonly Date[]): BoundedCount | null {
  const { indexed, checked } = partsOf(withinEdges(filter, edges));
  // Archived runs are in index ranges of their own.
  const most = (isInIndex(filter) ? MOST_IN_INDEX : MOST_ROWS) / (filter.includeArchived ? 2 : 1);
  const values = new StatementValues();
  const matches = rowConditions(checked, 'run.id', values).join(' and ') || 'true';
  const columns = `${bucketOf(edges, values)} as bucket, run.status, ${matches} as matches`;
  const found = matchingText(indexed, { columns, isFlowKnown: true, tail: () => `limit ${most}` }, values);
  if (found === null) return null;
  const text = `
    select bucket, status, count(*) filter (where matches)::int as matches, count(*)::int as looked
    from (${found}) found group by bucket, status`;
  return { statement: { text, values: values.all }, most };
}

/** Returns the statement that tells how many pages the table has where runs of the span are. */
export function pagesStatement(edges: readonly Date[]): Statement {
  const [first, last] = [edges[0], edges.at(-1)].map((edge) => runPartitionAt(edge ?? new Date(0)));
  const text = `
    select (coalesce(sum(pg_relation_size(child.oid)), 0) / ${PAGE_BYTES})::int as pages
    from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = '${RUNS.name}'::regclass
      and (child.relname !~ '_[0-9]+$' or child.relname between $1 and $2)`;
  return { text, values: [first, last] };
}

/** The share of so many pages that a sample takes, from 0 to 1. */
export const sampledShare = (pages: number): number => Math.min(1, SAMPLED_PAGES / Math.max(1, pages));

/** Returns the statement that counts the matching runs in a share of the pages. The same pages are chosen each time. */
export function sampleStatement(filter: FlowRunFilter, edges: readonly Date[], share: number): Statement | null {
  const statuses = possibleStatuses(filter);
  if (statuses.length === 0 || !namesPossibleRuns(filter)) return null;
  const values = new StatementValues();
  const conditions = [
    `run.project_id = ${values.id(filter.projectId)}`,
    `run.status = any(${values.texts(statuses)})`,
    ...(filter.flowId === undefined ? [] : [`run.flow_id = ${values.id(filter.flowId)}`]),
    ...(filter.includeArchived ? [] : ['run.archived_at is null']),
    ...timeConditions(withinEdges(filter, edges), 'run.id', values),
    ...rowConditions(filter, 'run.id', values),
  ];
  const text = `
    select ${bucketOf(edges, values)} as bucket, run.status, count(*)::int as sampled
    from flow_run run tablesample system (${100 * share}) repeatable (1)
    where ${conditions.join(' and ')} group by 1, 2`;
  return { text, values: values.all };
}

const bucketOf = (edges: readonly Date[], values: StatementValues): string =>
  `width_bucket(run.id, ${values.ids(edges.map(firstRunAt))}) - 1`;

/** The filter for the runs within the first and the last edge. */
function withinEdges(filter: FlowRunFilter, edges: readonly Date[]): FlowRunFilter {
  const [first = new Date(0), last = first] = [edges[0], edges.at(-1)];
  const { createdAfter = first, createdBefore = last } = filter;
  return {
    ...filter,
    createdAfter: createdAfter > first ? createdAfter : first,
    createdBefore: createdBefore < last ? createdBefore : last,
  };
}

interface FilterParts {
  /** What index ranges answer. */
  indexed: FlowRunFilter;
  /** What is asked of each run of these ranges. */
  checked: FlowRunFilter;
}

/**
 * Divides a filter, so that the runs that are looked at can be counted before they are asked for more: few of them may
 * match. Only one of tags, tests, fingerprints and failed steps chooses the ranges.
 */
function partsOf(filter: FlowRunFilter): FilterParts {
  const { projectId, environment, failedStepName, fingerprint, waitingOn, ...others } = filter;
  if (filter.flowRunIds ?? filter.parentRunId ?? filter.retryOfRunId)
    return { indexed: filter, checked: { projectId } };
  const indexed = { projectId, ...others, status: possibleStatuses(filter) };
  const checked = { projectId, environment, failedStepName, fingerprint, waitingOn };
  if (filter.tags?.length) return { indexed, checked };
  if (environment === 'TESTING')
    return { indexed: { ...indexed, environment }, checked: { ...checked, environment: undefined } };
  if (fingerprint !== undefined)
    return { indexed: { ...indexed, fingerprint }, checked: { ...checked, fingerprint: undefined } };
  if (failedStepName === undefined) return { indexed, checked };
  return { indexed: { ...indexed, failedStepName }, checked: { ...checked, failedStepName: undefined } };
}

/** Whether the indexes of projects and flows have all that the filter asks for. */
const isInIndex = ({ tags, ...filter }: FlowRunFilter): boolean =>
  !tags?.length && CHECKED_ON_ROWS.every((name) => filter[name] === undefined);

const CHECKED_ON_ROWS = [
  ...(['environment', 'failedStepName', 'fingerprint', 'waitingOn', 'parentRunId', 'retryOfRunId'] as const),
];
