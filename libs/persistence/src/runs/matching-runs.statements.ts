import { firstIdAt, FLOW_RUN_STATUSES, isFinal, isId, type FlowRunFilter, type FlowRunStatus } from '@millrace/domain';
import { inSlice, StatementValues, type Statement } from '../lists/list-statement';
import type { Slice } from '../lists/page-cursor';
import { storableText } from '../postgres/stored-json';
import { KEY_LENGTH } from './run-tag.statements';

// How the runs are found that a filter selects. They are read from index ranges, each in the order of ids: one range
// for each status, and for archived and unarchived runs. PostgreSQL merges the ranges and stops at the end of a page,
// however many runs match. A time of creation is a bound of the id. Conditions that no index covers (the environment
// PRODUCTION, further tags, excluded runs) are checked on the rows of a range.

export interface Wanted {
  /** The columns to select, with `run` as the alias of the row. */
  columns: string;
  slice?: Pick<Slice, 'before' | 'after'>;
  /** Whether the caller knows that the flow is one of the project. Then the index of the flow has all that is asked. */
  isFlowKnown?: boolean;
  /** Returns the end of the query of each index range: its order by the column of the run's id, and its limit. */
  tail?: (id: string) => string;
}

type Bounds = Pick<Wanted, 'slice' | 'isFlowKnown'>;

const noTail = (): string => '';

/** Returns the statement that finds every matching run once, or null when no run can match. */
export function matching(filter: FlowRunFilter, wanted: Wanted): Statement | null {
  const values = new StatementValues();
  const text = matchingText(filter, wanted, values);
  return text === null ? null : { text, values: values.all };
}

/** Returns the same as a part of a statement with these parameters. */
export function matchingText(filter: FlowRunFilter, wanted: Wanted, values: StatementValues): string | null {
  const statuses = possibleStatuses(filter);
  if (statuses.length === 0 || !namesPossibleRuns(filter)) return null;
  const asked = { filter, statuses, archived: filter.includeArchived ? [false, true] : [false], values };
  return indexRanges(asked, wanted);
}

interface Asked {
  filter: FlowRunFilter;
  statuses: readonly FlowRunStatus[];
  /** `[false, true]` finds archived and unarchived runs; `[false]` finds only unarchived runs. */
  archived: readonly boolean[];
  values: StatementValues;
}

function indexRanges(asked: Asked, wanted: Wanted): string {
  const { filter } = asked;
  if (filter.flowRunIds) return namedRuns(asked, wanted);
  if (filter.parentRunId !== undefined || filter.retryOfRunId !== undefined) return relatedRuns(asked, wanted);
  const special = specialRanges(filter);
  if (filter.tags?.length) return special ? rarer(special, asked, wanted) : taggedRuns(asked, wanted);
  if (special) return special(asked, wanted);
  return runsByStatus(asked, wanted);
}

/** Chooses the index of few runs that has all that match: of tests, or of runs that failed in a certain way. */
function specialRanges({ environment, fingerprint, failedStepName }: FlowRunFilter): typeof testRuns | null {
  if (environment === 'TESTING') return testRuns;
  if (fingerprint !== undefined) return alikeRuns;
  return failedStepName === undefined ? null : failedRuns;
}

/**
 * Finds runs that are tagged and also test runs or failed runs ("special"). It reads the range of special runs when
 * these are few, and the range of the tag otherwise.
 */
function rarer(special: typeof testRuns, asked: Asked, wanted: Wanted): string {
  const all = special(
    { ...asked, filter: { ...asked.filter, tags: [] } },
    { columns: 'run.id', tail: () => `limit ${FEW}` },
  );
  return `(with special as materialized (select count(*) < ${FEW} as are_few from (${all} limit ${FEW}) counted)
    select * from ${special(asked, wanted)} found where (select are_few from special)
    union all select * from ${taggedRuns(asked, wanted)} found where not (select are_few from special))`;
}

/** Special runs are few below this number: then each is checked for the tags. */
const FEW = 1_500;

function namedRuns(asked: Asked, { columns, tail = noTail, ...bounds }: Wanted): string {
  const { filter, statuses, archived, values } = asked;
  return `(select ${columns} from flow_run run
    where run.id = any(${values.ids(filter.flowRunIds ?? [])}) and run.status = any(${values.texts(statuses)})
      and (run.archived_at is not null) = any(${values.booleans(archived)})
      and ${conditions(asked, 'run.id', bounds)} ${tail('run.id')})`;
}

/**
 * Reads the range of the runs that one run started, or of those that retry it. "offset 0" keeps PostgreSQL from the
 * ranges of the project, which have all runs.
 */
function relatedRuns(asked: Asked, { columns, tail = noTail, ...bounds }: Wanted): string {
  const { filter, statuses, archived, values } = asked;
  const { parentRunId, retryOfRunId } = filter;
  const isRelated =
    parentRunId === undefined
      ? `run.retry_of_run_id = ${values.id(retryOfRunId ?? '')}`
      : `run.parent_run_id = ${values.id(parentRunId)}`;
  return `(select ${columns} from (select * from flow_run run where ${isRelated} offset 0) run
    where run.status = any(${values.texts(statuses)}) and (run.archived_at is not null) = any(${values.booleans(archived)})
      and ${conditions(asked, 'run.id', bounds)} ${tail('run.id')})`;
}

/** Runs that are RUNNING have indexes of their own. They are never archived. */
function runsByStatus(asked: Asked, wanted: Wanted): string {
  const others = asked.statuses.filter((status) => status !== 'RUNNING');
  const parts = others.length < asked.statuses.length ? [runningRuns(asked, wanted)] : [];
  if (others.length > 0)
    parts.push(...asked.archived.map((isArchived) => otherRuns({ ...asked, statuses: others }, wanted, isArchived)));
  return parts.join(' union all ');
}

function otherRuns(asked: Asked, { columns, tail = noTail, ...bounds }: Wanted, archived: boolean): string {
  const { filter, statuses, values } = asked;
  return `(select found.* from unnest(${values.texts(statuses)}) asked (status) cross join lateral (
    select ${columns} from flow_run run
    where ${placeOf('run', filter, values)} and run.status = asked.status and run.status <> 'RUNNING'
      and run.archived_at is ${archived ? 'not null' : 'null'} and ${conditions(asked, 'run.id', bounds)} ${tail('run.id')}) found)`;
}

function runningRuns(asked: Asked, { columns, tail = noTail, ...bounds }: Wanted): string {
  const { filter, values } = asked;
  return `(select ${columns} from flow_run run
    where ${placeOf('run', filter, values)} and run.status = 'RUNNING'
      ${asked.archived.includes(true) ? '' : 'and run.archived_at is null'} and ${conditions(asked, 'run.id', bounds)} ${tail('run.id')})`;
}

function testRuns(asked: Asked, { columns, tail = noTail, ...bounds }: Wanted): string {
  const { filter, statuses, archived, values } = asked;
  return `(select found.* from unnest(${values.texts(statuses)}) asked (status)
    cross join unnest(${values.booleans(archived)}) kept (archived) cross join lateral (
      select ${columns} from flow_run run
      where ${placeOf('run', filter, values)} and run.status = asked.status
        and (run.archived_at is null) = (not kept.archived) and ${conditions(asked, 'run.id', bounds)} ${tail('run.id')}) found)`;
}

function failedRuns(asked: Asked, { columns, tail = noTail, ...bounds }: Wanted): string {
  const { archived, values } = asked;
  const { failedStepName = '', ...others } = asked.filter;
  const name = values.text(keyOf(failedStepName));
  // With both conditions on the step's name PostgreSQL would expect far too few runs, and sort all of them for a page.
  const filter = isWholeKey(failedStepName) ? others : asked.filter;
  return `(select found.* from unnest(${values.booleans(archived)}) kept (archived) cross join lateral (
    select ${columns} from flow_run run
    where ${placeOf('run', filter, values)} and run.status = 'FAILED'
      and left(run.failed_step ->> 'name', ${KEY_LENGTH}) = ${name}
      and (run.archived_at is null) = (not kept.archived)
      and ${conditions({ ...asked, filter }, 'run.id', bounds)} ${tail('run.id')}) found)`;
}

/** Finds runs that failed with messages of one kind. */
function alikeRuns(asked: Asked, { columns, tail = noTail, ...bounds }: Wanted): string {
  const { archived, values } = asked;
  const { fingerprint = '', failedStepName, ...filter } = asked.filter;
  // With both conditions PostgreSQL would expect far too few runs, and sort all of them for a page. It does not look into
  // `coalesce`.
  const isAtStep =
    failedStepName === undefined
      ? 'true'
      : `coalesce(run.failed_step ->> 'name' = ${values.text(failedStepName)}, false)`;
  return `(select found.* from unnest(${values.booleans(archived)}) kept (archived) cross join lateral (
    select ${columns} from flow_run run
    where ${placeOf('run', filter, values)} and run.status = 'FAILED' and ${FINGERPRINT} = ${values.text(fingerprint)}
      and (run.archived_at is null) = (not kept.archived) and ${isAtStep}
      and ${conditions({ ...asked, filter }, 'run.id', bounds)} ${tail('run.id')}) found)`;
}

/** The indexes have this expression. Runs that failed without a message have none, like those of early releases. */
const FINGERPRINT = `coalesce(run.failed_step ->> 'fingerprint', '')`;

/**
 * Reads the range of the rarest tag. A tagged row still says PAUSED for a run that had not ended when it was tagged and
 * may have ended since, so PAUSED rows are read for every status.
 */
function taggedRuns(asked: Asked, { columns, tail = noTail, ...bounds }: Wanted): string {
  const { filter, statuses, archived, values } = asked;
  const { tags = [] } = filter;
  const place = placeOf('tagged', filter, values);
  // "offset 0" makes PostgreSQL read the tag's range in order for a page and look each run up. It might begin at the
  // table of runs otherwise, which is not in that order.
  const row = `select * from flow_run run where run.id = tagged.run_id ${tail === noTail ? '' : 'offset 0'}`;
  return `(select found.* from (${leadingTag(tags, place, values)}) lead (tag)
    cross join unnest(${values.texts([...statuses.filter(isFinal), 'PAUSED'])}) asked (status)
    cross join unnest(${values.booleans(archived)}) kept (archived) cross join lateral (
      select ${columns} from run_tag tagged cross join lateral (${row}) run
      where ${place} and tagged.tag = lead.tag and tagged.archived = kept.archived and tagged.status = asked.status
        and run.status = any(${values.texts(statuses)}) and (run.archived_at is not null) = kept.archived
        and ${conditions(asked, 'tagged.run_id', bounds)} ${tail('tagged.run_id')}) found)`;
}

/** Tags count as equally frequent when more runs than this have them. */
const MANY_TAGGED = 5_000;

function leadingTag(tags: readonly string[], place: string, values: StatementValues): string {
  const each = `select tag from unnest(${values.texts(tags.map(keyOf))}) tag`;
  if (tags.length === 1) return each;
  const tagged = `select from run_tag tagged where ${place} and tagged.tag = tag.tag limit ${MANY_TAGGED}`;
  return `${each} order by (select count(*) from (${tagged}) many) limit 1`;
}

/** Returns the conditions for runs of every index range. */
function conditions({ filter, values }: Asked, id: string, { slice = {}, isFlowKnown = false }: Bounds): string {
  const { projectId, flowId } = filter;
  const all = flowId !== undefined && isFlowKnown ? [] : [`run.project_id = ${values.id(projectId)}`];
  if (flowId !== undefined) all.push(`run.flow_id = ${values.id(flowId)}`);
  all.push(inSlice(id, slice, values), ...timeConditions(filter, id, values), ...rowConditions(filter, id, values));
  return all.join(' and ');
}

export function timeConditions(
  { createdAfter, createdBefore }: FlowRunFilter,
  id: string,
  values: StatementValues,
): string[] {
  return [
    ...(createdAfter ? [`${id} >= ${values.id(firstRunAt(createdAfter))}`] : []),
    ...(createdBefore ? [`${id} < ${values.id(firstRunAt(createdBefore))}`] : []),
  ];
}

/** Returns the conditions that are checked on each row, because the index range of it has other runs too. */
export function rowConditions(filter: FlowRunFilter, id: string, values: StatementValues): string[] {
  const { tags, failedStepName, excludeFlowRunIds, environment, withoutRetry, fingerprint, waitingOn } = filter;
  const all: string[] = [];
  if (filter.parentRunId !== undefined) all.push(`run.parent_run_id = ${values.id(filter.parentRunId)}`);
  if (filter.retryOfRunId !== undefined) all.push(`run.retry_of_run_id = ${values.id(filter.retryOfRunId)}`);
  // PostgreSQL would plan a list of constants for each index of each month, which takes longer than reading the runs.
  if (excludeFlowRunIds?.length) all.push(`${id} not in (select unnest(${values.ids(excludeFlowRunIds)}))`);
  // The value is a constant and no parameter, so that PostgreSQL can choose the index of test runs.
  if (environment) all.push(`run.environment = ${environment === 'TESTING' ? `'TESTING'` : `'PRODUCTION'`}`);
  if (withoutRetry) all.push(`not exists (select from flow_run retry where retry.retry_of_run_id = run.id)`);
  if (tags?.length) all.push(`run.tags @> ${values.texts(tags)}`);
  if (failedStepName !== undefined) all.push(`run.failed_step ->> 'name' = ${values.text(failedStepName)}`);
  if (fingerprint !== undefined) all.push(`${FINGERPRINT} = ${values.text(fingerprint)}`);
  if (waitingOn) all.push(`exists (${OPEN_WAIT} and wait.run_id = run.id and wait.kind = ${values.text(waitingOn)})`);
  return all;
}

const OPEN_WAIT = 'select from run_request wait where wait.ended_at is null and wait.step_path is not null';

/** An id holds a time of 48 bits without a sign. */
const LAST_MS = 2 ** 48 - 1;
/** The lowest id that a run created at this moment can have. */
export const firstRunAt = (time: Date): string => firstIdAt(new Date(Math.min(Math.max(time.getTime(), 0), LAST_MS)));

/** Returns the condition that an index begins with. A flow belongs to one project, so its id alone is enough. */
const placeOf = (row: string, { projectId, flowId }: FlowRunFilter, values: StatementValues): string =>
  flowId === undefined ? `${row}.project_id = ${values.id(projectId)}` : `${row}.flow_id = ${values.id(flowId)}`;

export function possibleStatuses({ status, failedStepName, fingerprint, waitingOn }: FlowRunFilter): FlowRunStatus[] {
  const isOfFailures = failedStepName !== undefined || fingerprint !== undefined;
  return [...new Set(status ?? FLOW_RUN_STATUSES)].filter(
    (one) => (!isOfFailures || one === 'FAILED') && (!waitingOn || one === 'PAUSED'),
  );
}

/** A text that is no id names no project or flow, and PostgreSQL would refuse it. */
export const namesPossibleRuns = ({ projectId, flowId, parentRunId, retryOfRunId }: FlowRunFilter): boolean =>
  isId(projectId) && [flowId, parentRunId, retryOfRunId].every((id) => id === undefined || isId(id));

const keyOf = (text: string): string => [...storableText(text)].slice(0, KEY_LENGTH).join('');
/** Tells whether the key is the whole text, so that no other text has the same key. */
const isWholeKey = (text: string): boolean => [...storableText(text)].length < KEY_LENGTH;
