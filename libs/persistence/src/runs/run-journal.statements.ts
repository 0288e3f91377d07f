import { storableJson, type RunClaim, type RunEnding } from '@millrace/domain';
import type { Pool } from 'pg';
import {
  BEGINS,
  EVENT_COLUMNS,
  insertRunEventsOf,
  kindOfEnding,
  kindsIf,
  rowBefore,
} from '../event-destinations/run-event.statements';
import { idRange, inIdRange } from '../postgres/id-range';
import { packBytes, plainArray } from '../postgres/packed-bytes';
import { storableText } from '../postgres/stored-json';
import { heldClaims } from './run-claim.statements';
import { insertTagsOf, TAGGED_COLUMNS } from './run-tag.statements';

// Every write is fenced: it changes a run only while `id`, `epoch` and `status = 'RUNNING'` match, and returns the
// claims that matched. Waits that a run leaves open when it ends are closed when they are due. Until then they cannot
// be ended.

export interface SegmentRow extends RunClaim {
  seq: number;
  records: Buffer;
  stepsCount: number;
}

export interface EndingRow {
  ending: RunEnding;
  /** Empty when there is nothing to record. */
  records: Buffer;
}

const APPEND_LEASE = `interval '15 seconds'`;

// An append renews the lease, so a worker that loaded the run before this segment cannot claim it afterwards. A segment
// that is written again, because its first answer was lost, replaces itself. "is true" makes the check a hash look-up:
// for a plain "in" the planner, which expects few rows here, would compare every row with every other.
const APPEND = `
  with segment as (
    select id, epoch, seq, steps_count, substr($7::bytea, records_start, records_length) as records
    from unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::int[], $6::int[])
      as s (id, epoch, seq, steps_count, records_start, records_length)
  ), held as (
    update flow_run run
    set lease_until = greatest(run.lease_until, now() + ${APPEND_LEASE}), steps_count = claim.steps_count, updated = now()
    from (select id, epoch, max(steps_count) as steps_count from segment group by id, epoch) as claim
    where run.id = claim.id and run.epoch = claim.epoch and run.status = 'RUNNING' and run.lease_until is not null
      and ${inIdRange('run.id', 8)}
    returning run.id, run.epoch
  ), written as (
    insert into run_segment (run_id, seq, records)
    select id, seq, records from segment where ((id, epoch) in (select id, epoch from held)) is true
    on conflict (run_id, seq) do update set records = excluded.records
  )
  select id, epoch from held`;

export async function appendSegments(pool: Pool, segments: readonly SegmentRow[]): Promise<Set<string>> {
  const packed = packBytes(segments.map(({ records }) => records));
  return heldClaims(pool, 'append-segments', APPEND, [
    plainArray(segments.map(({ runId }) => runId)),
    plainArray(segments.map(({ epoch }) => epoch)),
    plainArray(segments.map(({ seq }) => seq)),
    plainArray(segments.map(({ stepsCount }) => stepsCount)),
    plainArray(packed.starts),
    plainArray(packed.lengths),
    packed.bytes,
    ...idRange(segments.map(({ runId }) => runId)),
  ]);
}

// Tags are sent as JSON, because unnest would flatten an array of arrays. An ending without tags leaves the run's tags.
// A run that was ended from outside keeps that ending, and its worker's last records are added. Such a run was
// cancelled, or failed with its child; its lease tells the latter from a run that failed by itself.
const finishStatement = (moreColumns = '', moreWrites = '', moreTables = '') => `
  with ended as (
    update flow_run run
    set status = case when run.status = 'RUNNING' then ending.status else run.status end, start_time = coalesce(run.start_time, ending.start_time),
        finish_time = coalesce(run.finish_time, ending.finish_time), steps_count = ending.steps_count,
        failed_step = coalesce(run.failed_step, ending.failed_step),
        status_reason = coalesce(run.status_reason, ending.status_reason), lease_until = null, paused_at = null,
        updated = now(),
        tags = case when ending.tags is null then run.tags
                    else array(select json_array_elements_text(ending.tags)) end
    from unnest($1::uuid[], $2::int[], $3::int[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::int[],
                $8::json[], $9::text[], $10::json[], $11::int[], $12::int[])
      as ending (id, epoch, seq, status, start_time, finish_time, steps_count,
                 failed_step, status_reason, tags, records_start, records_length)${moreTables}
    where run.id = ending.id and run.epoch = ending.epoch and ${inIdRange('run.id', 14)}
      and (run.status = 'RUNNING' or ending.status = 'STOPPED'
           and (run.status = 'STOPPED' or run.status = 'FAILED' and run.lease_until is not null))
    returning run.id, run.epoch, ending.seq, ending.records_start, ending.records_length${moreColumns}
  ), written as (
    insert into run_segment (run_id, seq, records)
    select id, seq, substr($13::bytea, records_start, records_length) from ended where records_length > 0
    on conflict (run_id, seq) do update set records = excluded.records
  )${moreWrites}
  select id, epoch from ended`;

const FINISH = finishStatement();

/** The statement for groups with tags. Other groups do not open the table of tags. */
const FINISH_TAGGED = finishStatement(`, ${TAGGED_COLUMNS}`, `, tagged as (${insertTagsOf('ended')})`);

// A worker that stops a cancelled run finds it ended, by a finish time of its own. Any other ending changes the status.
const ENDS = `(ending.status <> 'STOPPED' or run.finish_time = ending.finish_time)`;
const EVENTS_OF_ENDING = kindsIf([BEGINS[0], `${BEGINS[1]} and ${ENDS}`], [kindOfEnding('run.status'), ENDS]);

/** The statement that also inserts events. It writes tags too, so that there is no fourth statement. */
const FINISH_WITH_EVENTS = finishStatement(
  `, ${EVENT_COLUMNS}, ${EVENTS_OF_ENDING} as kinds`,
  `, tagged as (${insertTagsOf('ended')}), reported as (${insertRunEventsOf('ended')})`,
  rowBefore('ending.id', 14),
);

/** `withEvents` is false only when no destination listens to these runs. */
export async function finishRuns(pool: Pool, rows: readonly EndingRow[], withEvents: boolean): Promise<Set<string>> {
  const endings = rows.map(({ ending }) => ending);
  const packed = packBytes(rows.map(({ records }) => records));
  const hasTags = endings.some(({ tags }) => tags.length > 0);
  const [name, text] = withEvents
    ? ['finish-runs-with-events', FINISH_WITH_EVENTS]
    : hasTags
      ? ['finish-tagged-runs', FINISH_TAGGED]
      : ['finish-runs', FINISH];
  return heldClaims(pool, name, text, [
    plainArray(endings.map(({ runId }) => runId)),
    plainArray(endings.map(({ epoch }) => epoch)),
    plainArray(endings.map(({ seq }) => seq)),
    plainArray(endings.map(({ status }) => status)),
    plainArray(endings.map(({ startTime }) => startTime.toISOString())),
    plainArray(endings.map(({ finishTime }) => finishTime.toISOString())),
    plainArray(endings.map(({ stepsCount }) => stepsCount)),
    endings.map(({ failedStep }) => failedStep && storableJson(JSON.stringify(failedStep))),
    endings.map(({ statusReason }) => statusReason && storableText(statusReason)),
    endings.map(({ tags }) => (tags.length > 0 ? storableJson(JSON.stringify(tags)) : null)),
    plainArray(packed.starts),
    plainArray(packed.lengths),
    packed.bytes,
    ...idRange(endings.map(({ runId }) => runId)),
  ]);
}
