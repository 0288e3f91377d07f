import { createHash } from 'node:crypto';
import { createdAt, firstIdAt, startingStepKey, type NewRun, type RunIdempotencyKey } from '@millrace/domain';
import { idRange, inIdRange } from '../postgres/id-range';
import type { Queryable } from '../postgres/in-transaction';
import { packBytes, plainArray } from '../postgres/packed-bytes';
import { addingJobs, JOBS_CHANNEL, valuesOfJobs, type AddedJob } from '../queue/lean-queue.statements';

/** IntakeRow holds the payload beside the run, as bytes. */
type RunOfRow = Omit<NewRun, 'payload'>;

/** A run to insert. */
export interface IntakeRow {
  run: RunOfRow;
  payload: Buffer;
  /** The steps that the run takes over from another run, as one segment; null when there are none. */
  kept: Buffer | null;
  /** The id of the job that will carry the run. */
  jobId: string;
}

export interface Inserted {
  ids: ReadonlySet<string>;
  /** The runs whose parent has ended or does not exist. */
  refused: ReadonlySet<string>;
}

/** Inserts rows. A row that is neither inserted nor refused has the idempotency key, or the id, of an existing run. */
export type InsertRuns = (db: Queryable, rows: readonly IntakeRow[]) => Promise<Inserted>;

const NONE: ReadonlySet<string> = new Set();

const COLUMNS = 'id, project_id, flow_id, flow_version_id, environment, triggered_by, trigger_type, job_id, is_awaited';
const ASKED = `
  select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::uuid[],
                       $9::boolean[], $10::int[], $11::int[]`;
const ASKED_AS = `${COLUMNS}, payload_start, payload_length`;
const PAYLOAD = 'substr($12::bytea, payload_start, payload_length)';

const INSERT = `
  insert into flow_run (${COLUMNS}, payload, updated)
  select ${COLUMNS}, ${PAYLOAD}, now() from (${ASKED}) as r (${ASKED_AS})) asked
  on conflict do nothing
  returning id`;

// A run claims its key for the day of its request and then for the next day. Another request with the key within 24
// hours meets one of the two claims, in any process, and waits for a claim that is not committed yet. A run that meets
// a claim claims nothing. A claim by a run that is too old is replaced; of several runs only one replaces it.
const claims = (candidates: string, first: number): string => `
  claimed_today as (
    insert into run_key as kept (day, flow_id, key, run_id)
    select key_day, flow_id, key, id from ${candidates} where key is not null
    on conflict (flow_id, key, day) do update set run_id = excluded.run_id where kept.run_id < $${first}::uuid
    returning day, flow_id, key, run_id
  ), claimed as (
    insert into run_key as kept (day, flow_id, key, run_id)
    select day + 1, flow_id, key, run_id from claimed_today
    on conflict (flow_id, key, day) do update set run_id = excluded.run_id where kept.run_id < $${first}::uuid
    returning run_id
  )`;
const HAS_CLAIMED = '(key is null or id in (select run_id from claimed))';

const INSERT_KEYED = `
  with asked as (${ASKED}, $13::uuid[], $14::date[]) as r (${ASKED_AS}, key, key_day)), ${claims('asked', 15)}
  insert into flow_run (${COLUMNS}, payload, updated)
  select ${COLUMNS}, ${PAYLOAD}, now() from asked where ${HAS_CLAIMED}
  on conflict do nothing
  returning id`;

// One commit makes the runs and their jobs durable.
const INSERT_WITH_JOBS = `
  with inserted as (${INSERT}), added as (${addingJobs(13)})
  select id, (select pg_notify('${JOBS_CHANNEL}', $13)) from inserted`;

/** Inserts runs without keys, as `insertRuns` does, and their jobs in the same statement. */
export async function insertRunsWithJobs(
  db: Queryable,
  rows: readonly IntakeRow[],
  { queue, jobs }: { queue: string; jobs: readonly AddedJob[] },
): Promise<Inserted> {
  const values = [...valuesOf(rows), ...valuesOfJobs(queue, jobs)];
  const query = { name: 'insert-runs-with-jobs', text: INSERT_WITH_JOBS, values };
  return { ids: idsOf(await db.query<{ id: string }>(query)), refused: NONE };
}

/** Inserts runs. Most runs have no key, so their statement does not use the table of keys. */
export const insertRuns: InsertRuns = async (db, rows) => {
  const query = hasKeys(rows)
    ? { name: 'insert-keyed-runs', text: INSERT_KEYED, values: [...valuesOf(rows), ...keyValuesOf(rows)] }
    : { name: 'insert-runs', text: INSERT, values: valuesOf(rows) };
  return { ids: idsOf(await db.query<{ id: string }>(query)), refused: NONE };
};

// The parent's row is locked until the child's row is committed. An ending of the parent that comes at the same time
// waits and then finds the child; after an earlier ending the child is refused. A run that takes steps over has epoch
// 1, because only runs with an epoch above 0 have segments.
const specialStatement = (isKeyed: boolean): string => `
  with asked as (
    ${ASKED}, $13::text[], $14::uuid[], $15::boolean[], $16::int[], $17::uuid[], $18::int[], $19::int[],
      $20::text[]${isKeyed ? ', $24::uuid[], $25::date[]' : ''})
      as r (${ASKED_AS}, test_step, parent_run_id, fail_parent_on_failure, depth, retry_of_run_id,
            kept_start, kept_length, started_by_step${isKeyed ? ', key, key_day' : ''})
  ), parent as (
    select id from flow_run
    where id in (select parent_run_id from asked) and status in ('RUNNING', 'PAUSED') and ${inIdRange('id', 22)}
    order by id for share
  ), possible as (
    select * from asked where parent_run_id is null or parent_run_id in (select id from parent)
  )${isKeyed ? `, ${claims('possible', 26)}` : ''}, inserted as (
    insert into flow_run (${COLUMNS}, payload, updated, epoch,
                          test_step, parent_run_id, fail_parent_on_failure, depth, retry_of_run_id,
                          started_by_step)
    select ${COLUMNS}, ${PAYLOAD}, now(), case when kept_length > 0 then 1 else 0 end,
           test_step, parent_run_id, fail_parent_on_failure, depth, retry_of_run_id, started_by_step
    from possible${isKeyed ? ` where ${HAS_CLAIMED}` : ''}
    on conflict do nothing
    returning id
  ), kept as (
    insert into run_segment (run_id, seq, records)
    select id, 0, substr($21::bytea, kept_start, kept_length)
    from inserted join asked using (id) where kept_length > 0
  )
  select id, true as inserted from inserted
  union all
  select id, false from asked where parent_run_id is not null and not parent_run_id in (select id from parent)`;

const INSERT_SPECIAL = specialStatement(false);
const INSERT_SPECIAL_KEYED = specialStatement(true);

/** Inserts special runs. There are few, and their own statement saves the others from sending columns of nulls. */
export const insertSpecialRuns: InsertRuns = async (db, rows) => {
  const runs = rows.map(({ run }) => run);
  const kept = packBytes(rows.map((row) => row.kept ?? NOTHING));
  const values = [
    ...valuesOf(rows),
    runs.map(({ testStep }) => testStep ?? null),
    plainArray(runs.map(({ parent }) => parent?.runId ?? 'null')),
    plainArray(runs.map(({ parent }) => String(parent?.failOnFailure ?? false))),
    plainArray(runs.map(({ parent, depth }) => parent?.depth ?? depth ?? 0)),
    plainArray(runs.map(({ retryOfRunId }) => retryOfRunId ?? 'null')),
    plainArray(kept.starts),
    plainArray(kept.lengths),
    runs.map(({ idempotencyKey }) => startingStepKey(idempotencyKey)),
    kept.bytes,
    ...idRange(runs.map(({ parent }) => parent?.runId)),
  ];
  const query = hasKeys(rows)
    ? { name: 'insert-special-keyed', text: INSERT_SPECIAL_KEYED, values: [...values, ...keyValuesOf(rows)] }
    : { name: 'insert-special-runs', text: INSERT_SPECIAL, values };
  const answered = (await db.query<{ id: string; inserted: boolean }>(query)).rows;
  return {
    ids: idsOf({ rows: answered.filter(({ inserted }) => inserted) }),
    refused: idsOf({ rows: answered.filter(({ inserted }) => !inserted) }),
  };
};

const NOTHING = Buffer.alloc(0);

/** Tells whether the run uses columns that only the statement for special runs has. */
export const isSpecial = (run: RunOfRow): boolean =>
  run.testStep !== undefined ||
  run.parent !== undefined ||
  run.depth !== undefined ||
  run.retryOfRunId !== undefined ||
  run.kept !== undefined;

function valuesOf(rows: readonly IntakeRow[]): unknown[] {
  const runs = rows.map(({ run }) => run);
  const payloads = packBytes(rows.map(({ payload }) => payload));
  return [
    plainArray(runs.map((run) => run.id)),
    plainArray(runs.map((run) => run.projectId)),
    plainArray(runs.map((run) => run.flowId)),
    plainArray(runs.map((run) => run.flowVersionId)),
    plainArray(runs.map((run) => run.environment)),
    runs.map((run) => run.triggeredBy),
    plainArray(runs.map((run) => run.triggerType)),
    plainArray(rows.map(({ jobId }) => jobId)),
    plainArray(runs.map(({ isAwaited }) => String(isAwaited ?? false))),
    plainArray(payloads.starts),
    plainArray(payloads.lengths),
    payloads.bytes,
  ];
}

const idsOf = ({ rows }: { rows: readonly { id: string }[] }): Set<string> => new Set(rows.map(({ id }) => id));

export const hasKeys = (rows: readonly IntakeRow[]): boolean => rows.some(({ run }) => run.idempotencyKey !== null);

/** Returns the parameters for keys: the keys, their days, and the least id of a run that still holds its key. */
function keyValuesOf(rows: readonly IntakeRow[]): unknown[] {
  const runs = rows.map(({ run }) => run);
  return [
    plainArray(runs.map(({ idempotencyKey }) => storedKey(idempotencyKey))),
    plainArray(runs.map(({ id }) => dayOf(id))),
    oldestHolder(runs),
  ];
}

/** Stores the hash of a key, because a key may be of any length. */
const storedKey = (key: RunIdempotencyKey | null): string =>
  key === null ? 'null' : createHash('sha256').update(key).digest('hex').slice(0, 32);

/** Returns the UTC day of the run's creation. */
const dayOf = (runId: string): string => createdAt(runId).toISOString().slice(0, 10);

const KEY_HELD_MS = 24 * 60 * 60 * 1000;

const oldestHolder = (runs: readonly RunOfRow[]): string =>
  firstIdAt(new Date(createdAt(idRange(runs.map(({ id }) => id))[0]).getTime() - KEY_HELD_MS));

// A row without a key can only have met itself, by an insert that was repeated because its outcome was unknown. A claim
// without a run belongs to a run that lost the claim of the second day to another run, and was not inserted. Or its run
// was deleted, as one whose trigger made nothing of its request is: then no other claim of the key has a run.
const FIND = `
  select asked.place, kept.run_id as id, run.id is not null as exists
  from unnest($1::int[], $2::uuid[], $3::uuid[], $4::uuid[], $5::date[]) as asked (place, id, flow_id, key, day)
  join run_key kept on asked.key is not null and kept.flow_id = asked.flow_id and kept.key = asked.key
    and kept.day in (asked.day, asked.day + 1)
  left join flow_run run on run.id = kept.run_id and run.id >= $6::uuid
  where kept.run_id >= $6::uuid
  union all
  select asked.place, run.id, true
  from unnest($1::int[], $2::uuid[], $3::uuid[], $4::uuid[]) as asked (place, id, flow_id, key)
  join flow_run run on asked.key is null and run.id = asked.id and ${inIdRange('run.id', 7)}`;

/** Returns the run that holds each row's key, by the row's index. The run may have been deleted. */
export async function findIdempotentRuns(db: Queryable, rows: readonly IntakeRow[]): Promise<Map<number, string>> {
  const runs = rows.map(({ run }) => run);
  const [keys, days, oldest] = keyValuesOf(rows);
  const places = plainArray(runs.map((_, place) => place));
  const ids = runs.map(({ id }) => id);
  const flowIds = plainArray(runs.map((run) => run.flowId));
  const values = [places, plainArray(ids), flowIds, keys, days, oldest, ...idRange(ids)];
  const query = { name: 'find-idempotent-runs', text: FIND, values };
  const { rows: found } = await db.query<{ place: number; id: string; exists: boolean }>(query);
  const deletedFirst = [...found].sort((a, b) => Number(a.exists) - Number(b.exists));
  return new Map(deletedFirst.map(({ place, id }) => [place, id]));
}
