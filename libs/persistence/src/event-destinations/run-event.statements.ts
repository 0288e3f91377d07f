import { KIND_OF_ENDING } from '@millrace/domain';
import { inIdRange } from '../postgres/id-range';
import { INSERT_DELIVERIES, NEW_ID } from './new-event.statements';

// The events of runs. A statement that changes runs returns EVENT_COLUMNS and the kinds of each run's events, and
// `insertRunEventsOf` turns these rows into events within the same statement.

/** The columns of a changed run that its events need, besides its id. */
export const EVENT_COLUMNS = `
  run.project_id, run.flow_id, run.flow_version_id, run.status, run.start_time, run.finish_time,
  run.environment, run.triggered_by, run.tags, run.failed_step, run.steps_count, run.archived_at, run.updated,
  run.parent_run_id, run.fail_parent_on_failure, run.retry_of_run_id, run.status_reason, run.test_step`;

/** The row of a run before a change, to be joined with what names the run. Only its start time is known. */
export const rowBefore = (id: string, range: number): string => `
  join (select id as before_id, start_time as began_at from flow_run where ${inIdRange('id', range)}) before
    on before.before_id = ${id}`;

/** The kind of event of a run that begins, with its condition. The row before the change is known. */
export const BEGINS: [kind: string, condition: string] = [
  `'flow_run.started'`,
  'before.began_at is null and run.start_time is not null',
];

/** Returns SQL of the list of kinds: each kind whose condition holds. A kind is SQL of a text that may be null. */
export const kindsIf = (...kinds: readonly [kind: string, condition: string][]): string =>
  `array_remove(array[${kinds.map(([kind, condition]) => `case when ${condition} then ${kind} end`).join(', ')}]::text[], null)`;

/** SQL of the kind of event that a status in `column` makes when a run gets it; null unless the status is final. */
export const kindOfEnding = (column: string): string => {
  const cases = Object.entries(KIND_OF_ENDING).map(([status, kind]) => `when '${status}' then '${kind}'`);
  return `case ${column} ${cases.join(' ')} end`;
};

const time = (value: string): string => `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The moment in the first 48 bits of a UUIDv7. */
const CREATED = `to_timestamp(('x' || left(translate(run.id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`;

const MEMBERS = [
  ['id', 'run.id'],
  ['projectId', 'run.project_id'],
  ['flowId', 'run.flow_id'],
  ['flowVersionId', 'run.flow_version_id'],
  ['flowVersion', `json_build_object('displayName', coalesce(version.display_name, ''))`],
  ['status', 'run.status'],
  ['startTime', time('run.start_time')],
  ['finishTime', time('run.finish_time')],
  ['environment', 'run.environment'],
  ['triggeredBy', 'run.triggered_by'],
  ['tags', 'run.tags'],
  ['stepsCount', 'run.steps_count'],
  ['archivedAt', time('run.archived_at')],
  ['created', time(CREATED)],
  ['updated', time('run.updated')],
  ['parentRunId', 'run.parent_run_id'],
  ['failParentOnFailure', 'run.fail_parent_on_failure'],
  ['retryOfRunId', 'run.retry_of_run_id'],
  ['statusReason', 'run.status_reason'],
] as const;

const FAILED_STEP = `json_build_object('name', run.failed_step ->> 'name', 'displayName', run.failed_step ->> 'displayName',
  'message', run.failed_step ->> 'message')`;

const objectOf = (members: readonly (readonly [name: string, value: string])[]): string =>
  `json_build_object(${members.map(([name, value]) => `'${name}', ${value}`).join(', ')})`;

/** The run as lists show it (flow-run.mapper.ts), without what it waits for. */
const DATA = `
  case when run.status = 'FAILED' and run.failed_step is not null
    then ${objectOf([...MEMBERS, ['failedStep', FAILED_STEP]])} else ${objectOf(MEMBERS)} end`;

/**
 * Returns the statement that inserts the events of `changed`, rows with `id`, EVENT_COLUMNS and `kinds`. Tests of single steps
 * are no events. The data is made only for runs of projects with a destination that listens.
 */
export const insertRunEventsOf = (changed: string): string => `
  ${INSERT_DELIVERIES}
  select ${NEW_ID}, destination_id, event_id, kind, now(), data, now()
  from (
    select ${NEW_ID} as event_id, kind, listening.destinations, ${DATA} as data
    from ${changed} run
    cross join lateral unnest(run.kinds) as kind
    cross join lateral (
      select array_agg(id) as destinations from event_destination
      where project_id = run.project_id and status = 'ENABLED' and kind = any(events)
    ) listening
    left join flow_version version on version.id = run.flow_version_id
    where listening.destinations is not null and run.test_step is null
  ) event
  cross join lateral unnest(event.destinations) as destination_id`;
