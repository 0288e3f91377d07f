import { firstIdAt, FLOW_RUN_STATUSES, isFinal, isId, type FlowRunFilter, type FlowRunStatus } from '@millrace/domain';
import { NIL } from 'uuid';
import { inSlice, inSliceOrder, orderOf, StatementValues, type Statement } from '../lists/list-statement';
import { inOneOrder, type Slice } from '../lists/page-cursor';
import { idRange, inIdRange } from '../postgres/id-range';
import { storableText } from '../postgres/stored-json';
import { KEY_LENGTH } from './run-tag.statements';

// A list is read from index ranges, each in the order of ids: one range for each status, and for archived and
// unarchived runs. PostgreSQL merges the ranges and stops at the end of the page, however many runs match. A time of
// creation is a bound of the id. Conditions that no index covers (the environment PRODUCTION, further tags, excluded
// runs) are checked on the rows of a range.

const COLUMNS = `
  run.id, run.project_id as "projectId", run.flow_id as "flowId", run.flow_version_id as "flowVersionId", run.status,
  run.environment, run.triggered_by as "triggeredBy", run.trigger_type as "triggerType",
  run.start_time as "startTime", run.finish_time as "finishTime", run.steps_count as "stepsCount",
  run.failed_step as "failedStep", run.status_reason as "statusReason", run.tags, run.archived_at as "archivedAt",
  run.parent_run_id as "parentRunId", run.fail_parent_on_failure as "failParentOnFailure",
  run.retry_of_run_id as "retryOfRunId", run.test_step as "testStep", run.depth, run.paused_at as "pausedAt", run.updated,
  version.display_name as "versionName"`;

/** Returns the statement for a page, or null when no run can match. */
export function listStatement(filter: FlowRunFilter, slice: Slice): Statement | null {
  const page = pageOf(filter, slice);
  if (!page) return null;
  return {
    text: `
      with page as (${page.text})
      select ${COLUMNS}
      from page join flow_run run on run.id = page.id left join flow_version version on version.id = run.flow_version_id
      order by run.id ${orderOf(slice)}`,
    values: page.values,
  };
}

/** Returns the statement for the runs with these ids, in no order, or null when no text is an id. */
export function namedStatement(runIds: readonly string[]): Statement | null {
  const ids = runIds.filter(isId);
  if (ids.length === 0) return null;
  const text = `select ${COLUMNS}
    from flow_run run left join flow_version version on version.id = run.flow_version_id
    where run.id = any($1::uuid[]) and ${inIdRange('run.id', 2)}`;
  return { text, values: [ids, ...idRange(ids)] };
}

/** Returns the statement for the ids after `afterId` that match, oldest first, or null when no run can match. */
export const findStatement = (filter: FlowRunFilter, afterId: string | null, limit: number): Statement | null =>
  pageOf(filter, { after: afterId ?? NIL, limit });

/** The ids of all runs that match, in no order; null when nothing can match. */
export const matchingIds = (filter: FlowRunFilter): Statement | null => matching(filter, { columns: 'run.id' });

/** Returns the statement that counts the runs that match, by status, or null when no run can match. */
export function countStatement(filter: FlowRunFilter): Statement | null {
  const found = matching(filter, { columns: 'run.id, run.status' });
  return (
    found && {
      text: `select found.status, count(*)::int as count from (${found.text}) found group by found.status`,
      values: found.values,
    }
  );
}

// Some supported versions of PostgreSQL have no max(uuid).
/**
 * Returns the statement for groups of failed runs by flow, step and fingerprint, the most frequent first, or null when
 * no run can match.
 */
export function failuresStatement(filter: FlowRunFilter, limit: number): Statement | null {
  if (filter.status && !filter.status.includes('FAILED')) return null;
  const columns = `run.id, run.flow_id, run.failed_step ->> 'name' as name, run.failed_step ->> 'fingerprint' as mark`;
  const found = matching({ ...filter, status: ['FAILED'] }, { columns });
  if (!found) return null;
  const text = `
    with alike as (
      select flow_id, coalesce(name, '') as name, coalesce(mark, '') as mark, count(*)::int as count,
        min(id::text)::uuid as first_id, max(id::text)::uuid as last_id
      from (${found.text}) found group by 1, 2, 3 order by count desc, last_id desc limit ${limit}
    )
    select alike.flow_id as "flowId", version.display_name as "flowDisplayName", alike.name as "stepName",
      run.failed_step as "failedStep", run.status_reason as "statusReason", alike.mark as fingerprint, alike.count,
      alike.first_id as "firstId", alike.last_id as "lastId"
    from alike join flow_run run on run.id = alike.last_id
      left join flow_version version on version.id = run.flow_version_id
    order by alike.count desc, alike.last_id desc`;
  return { text, values: found.values };
}

function pageOf(filter: FlowRunFilter, slice: Slice): Statement | null {
  const found = matching(filter, { columns: 'run.id', slice, tail: (id) => inSliceOrder(id, slice) });
  return (
    found && {
      text: `select id from (${found.text}) found ${inSliceOrder('id', slice)}`,
      values: found.values,
    }
  );
}

interface Wanted {
  /** The columns to select, with `run` as the alias of the row. */
  columns: string;
  slice?: Pick<Slice, 'before' | 'after'>;
  /** Returns the end of the query of each index range: its order by the column of the run's id, and its limit. */
  tail?: (id: string) => string;
}

const noTail = (): string => '';

/** Returns the statement that finds every matching run once, or null when no run can match. */
function matching(filter: FlowRunFilter, wanted: Wanted): Statement | null {
  const statuses = possibleStatuses(filter);
  if (statuses.length === 0 || !namesPossibleRuns(filter)) return null;
  const values = new StatementValues();
  const asked = { filter, statuses, archived: filter.includeArchived ? [false, true] : [false], values };
  return { text: indexRanges(asked, wanted), values: values.all };
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
  const special = filter.environment === 'TESTING' ? testRuns : filter.failedStepName === undefined ? null : failedRuns;
  if (filter.tags?.length) return special ? rarer(special, asked, wanted) : taggedRuns(asked, wanted);
  if (special) return special(asked, wanted);
  return runsByStatus(asked, wanted);
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

function namedRuns(asked: Asked, { columns, slice, tail = noTail }: Wanted): string {
  const { filter, statuses, archived, values } = asked;
  return `(select ${columns} from flow_run run
    where run.id = any(${values.ids(filter.flowRunIds ?? [])}) and run.status = any(${values.texts(statuses)})
      and (run.archived_at is not null) = any(${values.booleans(archived)})
      and ${conditions(asked, 'run.id', slice)} ${tail('run.id')})`;
}

/** Runs that are RUNNING have indexes of their own. They are never archived. */
function runsByStatus(asked: Asked, wanted: Wanted): string {
  const others = asked.statuses.filter((status) => status !== 'RUNNING');
  const parts = others.length < asked.statuses.length ? [runningRuns(asked, wanted)] : [];
  if (others.length > 0)
    parts.push(...asked.archived.map((isArchived) => otherRuns({ ...asked, statuses: others }, wanted, isArchived)));
  return parts.join(' union all ');
}

function otherRuns(asked: Asked, { columns, slice, tail = noTail }: Wanted, archived: boolean): string {
  const { filter, statuses, values } = asked;
  return `(select found.* from unnest(${values.texts(statuses)}) asked (status) cross join lateral (
    select ${columns} from flow_run run
    where ${placeOf('run', filter, values)} and run.status = asked.status and run.status <> 'RUNNING'
      and run.archived_at is ${archived ? 'not null' : 'null'} and ${conditions(asked, 'run.id', slice)} ${tail('run.id')}) found)`;
}

function runningRuns(asked: Asked, { columns, slice, tail = noTail }: Wanted): string {
  const { filter, values } = asked;
  return `(select ${columns} from flow_run run
    where ${placeOf('run', filter, values)} and run.status = 'RUNNING'
      ${asked.archived.includes(true) ? '' : 'and run.archived_at is null'} and ${conditions(asked, 'run.id', slice)} ${tail('run.id')})`;
}

function testRuns(asked: Asked, { columns, slice, tail = noTail }: Wanted): string {
  const { filter, statuses, archived, values } = asked;
  return `(select found.* from unnest(${values.texts(statuses)}) asked (status)
    cross join unnest(${values.booleans(archived)}) kept (archived) cross join lateral (
      select ${columns} from flow_run run
      where ${placeOf('run', filter, values)} and run.status = asked.status
        and (run.archived_at is null) = (not kept.archived) and ${conditions(asked, 'run.id', slice)} ${tail('run.id')}) found)`;
}

function failedRuns(asked: Asked, { columns, slice, tail = noTail }: Wanted): string {
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
      and ${conditions({ ...asked, filter }, 'run.id', slice)} ${tail('run.id')}) found)`;
}

/**
 * Reads the range of the rarest tag. A tagged row still says PAUSED for a run that had not ended when it was tagged and
 * may have ended since, so PAUSED rows are read for every status.
 */
function taggedRuns(asked: Asked, { columns, slice, tail = noTail }: Wanted): string {
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
        and ${conditions(asked, 'tagged.run_id', slice)} ${tail('tagged.run_id')}) found)`;
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
function conditions({ filter, values }: Asked, id: string, slice: Wanted['slice'] = {}): string {
  const { tags, failedStepName, createdAfter, createdBefore, excludeFlowRunIds, environment, withoutRetry } = filter;
  const { fingerprint, waitingOn } = filter;
  const all = [`run.project_id = ${values.id(filter.projectId)}`];
  if (filter.flowId !== undefined) all.push(`run.flow_id = ${values.id(filter.flowId)}`);
  all.push(inSlice(id, slice, values));
  if (createdAfter) all.push(`${id} >= ${values.id(firstRunAt(createdAfter))}`);
  if (createdBefore) all.push(`${id} < ${values.id(firstRunAt(createdBefore))}`);
  // PostgreSQL would plan a list of constants for each index of each month, which takes longer than reading the runs.
  if (excludeFlowRunIds?.length) all.push(`${id} not in (select unnest(${values.ids(excludeFlowRunIds)}))`);
  // The value is a constant and no parameter, so that PostgreSQL can choose the index of test runs.
  if (environment) all.push(`run.environment = ${environment === 'TESTING' ? `'TESTING'` : `'PRODUCTION'`}`);
  if (withoutRetry) all.push(`not exists (select from flow_run retry where retry.retry_of_run_id = run.id)`);
  if (tags?.length) all.push(`run.tags @> ${values.texts(tags)}`);
  if (failedStepName !== undefined) all.push(`run.failed_step ->> 'name' = ${values.text(failedStepName)}`);
  if (fingerprint !== undefined)
    all.push(`coalesce(run.failed_step ->> 'fingerprint', '') = ${values.text(fingerprint)}`);
  if (waitingOn) all.push(`exists (${OPEN_WAIT} and wait.run_id = run.id and wait.kind = ${values.text(waitingOn)})`);
  return all.join(' and ');
}

const OPEN_WAIT = 'select from run_request wait where wait.ended_at is null and wait.step_path is not null';

/** An id holds a time of 48 bits without a sign. */
const LAST_MS = 2 ** 48 - 1;
/** The lowest id that a run created at this moment can have. */
export const firstRunAt = (time: Date): string => firstIdAt(new Date(Math.min(Math.max(time.getTime(), 0), LAST_MS)));

/** Returns the condition that an index begins with. A flow belongs to one project, so its id alone is enough. */
const placeOf = (row: string, { projectId, flowId }: FlowRunFilter, values: StatementValues): string =>
  flowId === undefined ? `${row}.project_id = ${values.id(projectId)}` : `${row}.flow_id = ${values.id(flowId)}`;

function possibleStatuses({ status, failedStepName, fingerprint, waitingOn }: FlowRunFilter): FlowRunStatus[] {
  const isOfFailures = failedStepName !== undefined || fingerprint !== undefined;
  return [...new Set(status ?? FLOW_RUN_STATUSES)].filter(
    (one) => (!isOfFailures || one === 'FAILED') && (!waitingOn || one === 'PAUSED'),
  );
}

/** A text that is no id names no project or flow, and PostgreSQL would refuse it. */
const namesPossibleRuns = ({ projectId, flowId }: FlowRunFilter): boolean =>
  isId(projectId) && (flowId === undefined || isId(flowId));

const keyOf = (text: string): string => [...storableText(text)].slice(0, KEY_LENGTH).join('');
/** Tells whether the key is the whole text, so that no other text has the same key. */
const isWholeKey = (text: string): boolean => [...storableText(text)].length < KEY_LENGTH;

/** Returns all filters of a list, so that a cursor of one list is refused by another. */
export const sealed = (filter: FlowRunFilter): unknown[] => [
  'runs',
  filter.projectId,
  filter.flowId,
  inOneOrder(filter.status),
  inOneOrder(filter.tags),
  filter.failedStepName,
  filter.fingerprint,
  filter.waitingOn,
  filter.createdAfter,
  filter.createdBefore,
  inOneOrder(filter.flowRunIds),
  inOneOrder(filter.excludeFlowRunIds),
  filter.environment,
  filter.withoutRetry === true,
  filter.includeArchived === true,
];

// A request without a step has no wait yet. A due time that ends the run is a limit and not the end of the wait.
/** Selects the open wait that began first, for each run. */
export const FIRST_WAITS = `
  select distinct on (run_id) run_id as "runId", request_id as "requestId", kind, created as since,
    case when not ends_run then due end as until
  from run_request where run_id = any($1::uuid[]) and ended_at is null and step_path is not null
  order by run_id, created, request_id`;

// Runs that wait by the rules of their flow. A run with a moment waits for the time, any other for its turn.
export const HELD_WAITS = `
  select run_id as "runId", '' as "requestId", case when due is null then 'worker' else 'timer' end as kind, since,
    due as until, reason
  from flow_control_run where run_id = any($1::uuid[]) and state in ('waiting', 'gathering')`;
