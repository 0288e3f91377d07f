import { storableJson, waitDeadline, type NewWait, type RunClaim, type RunPause } from '@millrace/domain';
import {
  BEGINS,
  EVENT_COLUMNS,
  insertRunEventsOf,
  kindsIf,
  rowBefore,
} from '../event-destinations/run-event.statements';
import { idRange, inIdRange } from '../postgres/id-range';
import type { Queryable } from '../postgres/in-transaction';
import { packBytes, plainArray } from '../postgres/packed-bytes';
import { countsFirstFrom } from '../queue/loaded-run';
import { insertSpecialRuns, type IntakeRow } from './run-intake.statements';
import { claimKey } from './run-claim.statements';
import { writeTags } from './run-tag.statements';

// The statements of a pause. One transaction locks the runs and then writes all of this.

export interface PauseRow {
  pause: RunPause;
  /** Empty when there is nothing to record. */
  records: Buffer;
  children: readonly IntakeRow[];
}

const LOCK = `
  select run.id, run.epoch, now() as now from unnest($1::uuid[], $2::int[]) as claim (id, epoch)
  join flow_run run on run.id = claim.id and run.epoch = claim.epoch and run.status = 'RUNNING' and ${inIdRange('run.id', 3)}
  order by run.id for update of run`;

/** The claims that hold while their runs are locked. */
export interface LockedClaims {
  keys: ReadonlySet<string>;
  /** The time of the pause, by the clock of the database: that of the worker may be wrong. */
  pausedAt: Date;
}

/** Locks the runs of the claims until the transaction ends. Returns the claims that still hold; null when none does. */
export async function lockClaims(tx: Queryable, claims: readonly RunClaim[]): Promise<LockedClaims | null> {
  const runIds = claims.map(({ runId }) => runId);
  const values = [plainArray(runIds), plainArray(claims.map(({ epoch }) => epoch)), ...idRange(runIds)];
  const { rows } = await tx.query<{ id: string; epoch: number; now: Date }>({
    name: 'lock-claims',
    text: LOCK,
    values,
  });
  const [first] = rows;
  if (!first) return null;
  return { keys: new Set(rows.map(({ id, epoch }) => claimKey({ runId: id, epoch }))), pausedAt: first.now };
}

const WRITE_SEGMENTS = `
  insert into run_segment (run_id, seq, records)
  select id, seq, substr($5::bytea, records_start, records_length)
  from unnest($1::uuid[], $2::int[], $3::int[], $4::int[]) as s (id, seq, records_start, records_length)
  on conflict (run_id, seq) do update set records = excluded.records`;

export async function writeSegments(tx: Queryable, rows: readonly PauseRow[]): Promise<void> {
  const written = rows.filter(({ records }) => records.length > 0);
  if (written.length === 0) return;
  const packed = packBytes(written.map(({ records }) => records));
  const values = [
    plainArray(written.map(({ pause }) => pause.runId)),
    plainArray(written.map(({ pause }) => pause.seq)),
    plainArray(packed.starts),
    plainArray(packed.lengths),
    packed.bytes,
  ];
  await tx.query({ name: 'write-segments', text: WRITE_SEGMENTS, values });
}

// A wait may have a row already. Its links may have been sent before the pause, and then the request may be answered
// too. Or the run pauses again for the same wait, and then the deadline stays. What only the request said that sent the
// links, such as its message, stays too.
const WRITE_WAITS = `
  insert into run_request (run_id, request_id, project_id, kind, step_path, created, due, ends_run, request, child_run_id)
  select run.id, w.request_id, run.project_id, w.kind, w.step_path, now(), w.due, w.ends_run, w.request, w.child_run_id
  from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::boolean[], $7::json[], $8::uuid[])
    as w (run_id, request_id, kind, step_path, due, ends_run, request, child_run_id)
  join flow_run run on run.id = w.run_id and ${inIdRange('run.id', 9)}
  on conflict (run_id, request_id) do update
    set step_path = excluded.step_path, request = (run_request.request::jsonb || excluded.request::jsonb)::json,
        due = coalesce(run_request.due, excluded.due),
        ends_run = case when run_request.due is null then excluded.ends_run else run_request.ends_run end
  returning run_id, ending is not null as has_ended`;

/** Writes the waits. Returns the ids of the runs of which a wait has ended already. */
export async function writeWaits(
  tx: Queryable,
  rows: readonly PauseRow[],
  { pausedAt, limitDays }: { pausedAt: Date; limitDays: number },
): Promise<Set<string>> {
  const waits = rows.flatMap(({ pause }) => pause.waits.map((wait) => ({ pause, wait })));
  if (waits.length === 0) return new Set();
  const deadlines = waits.map(({ wait }) => waitDeadline(wait, pausedAt, limitDays));
  const values = [
    plainArray(waits.map(({ pause }) => pause.runId)),
    waits.map(({ wait }) => wait.requestId),
    plainArray(waits.map(({ wait }) => wait.kind)),
    waits.map(({ wait }) => wait.stepPath),
    plainArray(deadlines.map(({ due }) => due.toISOString())),
    plainArray(deadlines.map(({ endsRun }) => String(endsRun))),
    waits.map(({ wait }) => requestJson(wait)),
    plainArray(waits.map(({ wait }) => wait.child?.id ?? 'null')),
    ...idRange(waits.map(({ pause }) => pause.runId)),
  ];
  const query = { name: 'write-waits', text: WRITE_WAITS, values };
  const written = (await tx.query<{ run_id: string; has_ended: boolean }>(query)).rows;
  return new Set(written.filter(({ has_ended }) => has_ended).map(({ run_id }) => run_id));
}

const requestJson = ({ request }: NewWait): string | null => request && storableJson(JSON.stringify(request));

// A child that existed before may have ended while its parent did not wait. Its ending has to be told again.
const TELL_AGAIN = `
  update flow_run set parent_told = false where id = any($1::uuid[]) and parent_run_id is not null and parent_told
    and ${inIdRange('id', 2)}`;

/** Inserts the child runs of the waits. Returns the children that did not exist before. */
export async function startChildren(tx: Queryable, children: readonly IntakeRow[]): Promise<IntakeRow[]> {
  if (children.length === 0) return [];
  const { ids } = await insertSpecialRuns(tx, children);
  const others = children.filter(({ run }) => !ids.has(run.id)).map(({ run }) => run.id);
  if (others.length > 0)
    await tx.query({ name: 'tell-again', text: TELL_AGAIN, values: [plainArray(others), ...idRange(others)] });
  return children.filter(({ run }) => ids.has(run.id));
}

// A run that reaches a pause does not kill its workers, so its lost workers are forgotten. The next claim clears
// paused_at.
const releaseStatement = (moreTables = '') => `
  update flow_run run
  set epoch = run.epoch + 1, lease_until = null, updated = now(),
      status = case when pause.is_resumed then 'RUNNING' else 'PAUSED' end,
      paused_at = now(), worker_deaths = 0,
      time_counts_from = coalesce(run.time_counts_from, run.start_time, ${countsFirstFrom('pause.start_time')}),
      start_time = coalesce(run.start_time, pause.start_time), steps_count = pause.steps_count,
      tags = case when pause.tags is null then run.tags
                  else array(select json_array_elements_text(pause.tags)) end
  from unnest($1::uuid[], $2::boolean[], $3::timestamptz[], $4::int[], $5::json[])
    as pause (id, is_resumed, start_time, steps_count, tags)${moreTables}
  where run.id = pause.id and ${inIdRange('run.id', 6)}`;

const RELEASE_PAUSED = releaseStatement();

const RELEASE_WITH_EVENTS = `
  with paused as (
    ${releaseStatement(rowBefore('pause.id', 6))}
    returning run.id, ${EVENT_COLUMNS}, ${kindsIf(BEGINS, [`'flow_run.paused'`, 'not pause.is_resumed'])} as kinds
  )
  ${insertRunEventsOf('paused')}`;

/**
 * Releases the runs from their workers: the runs in `resumed` are RUNNING and can be claimed, the others are PAUSED.
 * `withEvents` is false only when no destination listens to these runs.
 */
export async function releasePaused(
  tx: Queryable,
  rows: readonly PauseRow[],
  resumed: ReadonlySet<string>,
  withEvents: boolean,
): Promise<void> {
  const pauses = rows.map(({ pause }) => pause);
  const values = [
    plainArray(pauses.map(({ runId }) => runId)),
    plainArray(pauses.map(({ runId }) => String(resumed.has(runId)))),
    plainArray(pauses.map(({ startTime }) => startTime.toISOString())),
    plainArray(pauses.map(({ stepsCount }) => stepsCount)),
    pauses.map(({ tags }) => (tags.length > 0 ? storableJson(JSON.stringify(tags)) : null)),
    ...idRange(pauses.map(({ runId }) => runId)),
  ];
  const [name, text] = withEvents
    ? ['release-paused-with-events', RELEASE_WITH_EVENTS]
    : ['release-paused', RELEASE_PAUSED];
  await tx.query({ name, text, values });
  await writeTags(
    tx,
    pauses.filter(({ tags }) => tags.length > 0).map(({ runId }) => runId),
  );
}
