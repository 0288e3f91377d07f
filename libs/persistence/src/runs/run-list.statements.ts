import { isId, type FlowRunFilter } from '@millrace/domain';
import { NIL } from 'uuid';
import { inSliceOrder, orderOf, type Statement } from '../lists/list-statement';
import { inOneOrder, type Slice } from '../lists/page-cursor';
import { idRange, inIdRange } from '../postgres/id-range';
import { matching } from './matching-runs.statements';

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
  filter.parentRunId,
  filter.retryOfRunId,
  filter.environment,
  filter.withoutRetry === true,
  filter.includeArchived === true,
];

// A request without a step has no wait yet. A due time that ends the run is a limit and not the end of the wait.
/** Selects the open wait that began first, for each run. */
export const FIRST_WAITS = `
  select distinct on (run_id) run_id as "runId", request_id as "requestId", kind, created as since,
    case when not ends_run then due end as until, step_path as "stepPath", request ->> 'kind' as "requestKind",
    request ->> 'stepDisplayName' as "stepDisplayName", request ->> 'message' as message
  from run_request where run_id = any($1::uuid[]) and ended_at is null and step_path is not null
  order by run_id, created, request_id`;

// Runs that wait by the rules of their flow. A run with a moment waits for the time, any other for its turn.
export const HELD_WAITS = `
  select run_id as "runId", '' as "requestId", case when due is null then 'worker' else 'timer' end as kind, since,
    due as until, reason
  from flow_control_run where run_id = any($1::uuid[]) and state in ('waiting', 'gathering')`;
