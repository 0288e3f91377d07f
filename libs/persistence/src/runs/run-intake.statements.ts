import type { NewRun } from '@millrace/domain';
import type { Pool } from 'pg';
import type { Queryable } from '../postgres/in-transaction';
import { packBytes, plainArray } from '../postgres/packed-bytes';

/** A run on its way into the table. */
export interface IntakeRow {
  run: NewRun;
  payload: Buffer;
  /** The steps it takes over, as one segment; null when there are none. */
  kept: Buffer | null;
  /** The job that will carry it. */
  jobId: string;
}

export interface Inserted {
  ids: ReadonlySet<string>;
  /** Those whose parent has ended, or never was. */
  refused: ReadonlySet<string>;
}

/** Inserts rows. Those that are neither inserted nor refused met a run with their key, or with their id. */
export type InsertRuns = (db: Queryable, rows: readonly IntakeRow[]) => Promise<Inserted>;

const NONE: ReadonlySet<string> = new Set();

const INSERT = `
  insert into flow_run (id, project_id, flow_id, flow_version_id, environment, triggered_by, trigger_type,
                        idempotency_key, job_id, payload, updated)
  select id, project_id, flow_id, flow_version_id, environment, triggered_by, trigger_type,
         idempotency_key, job_id, substr($12::bytea, payload_start, payload_length), now()
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[],
              $8::text[], $9::uuid[], $10::int[], $11::int[])
    as r (id, project_id, flow_id, flow_version_id, environment, triggered_by, trigger_type,
          idempotency_key, job_id, payload_start, payload_length)
  on conflict do nothing
  returning id`;

export const insertRuns: InsertRuns = async (db, rows) => {
  const result = await db.query<{ id: string }>({ name: 'insert-runs', text: INSERT, values: valuesOf(rows) });
  return { ids: idsOf(result), refused: NONE };
};

// The parent's row is locked until the child's is there: an ending that comes at the same time waits, and then finds the
// child; one that came first has no child after it. Who takes steps over begins where the owner of these left off.
const INSERT_SPECIAL = `
  with asked as (
    select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[],
                         $8::text[], $9::uuid[], $10::int[], $11::int[],
                         $13::text[], $14::uuid[], $15::boolean[], $16::int[], $17::uuid[], $18::boolean[],
                         $19::int[], $20::int[])
      as r (id, project_id, flow_id, flow_version_id, environment, triggered_by, trigger_type,
            idempotency_key, job_id, payload_start, payload_length,
            test_step, parent_run_id, fail_parent_on_failure, depth, retry_of_run_id, is_awaited,
            kept_start, kept_length)
  ), parent as (
    select id from flow_run where id in (select parent_run_id from asked) and status in ('RUNNING', 'PAUSED')
    order by id for share
  ), inserted as (
    insert into flow_run (id, project_id, flow_id, flow_version_id, environment, triggered_by, trigger_type,
                          idempotency_key, job_id, payload, updated, epoch,
                          test_step, parent_run_id, fail_parent_on_failure, depth, retry_of_run_id, is_awaited)
    select id, project_id, flow_id, flow_version_id, environment, triggered_by, trigger_type,
           idempotency_key, job_id, substr($12::bytea, payload_start, payload_length), now(),
           case when kept_length > 0 then 1 else 0 end,
           test_step, parent_run_id, fail_parent_on_failure, depth, retry_of_run_id, is_awaited
    from asked where parent_run_id is null or parent_run_id in (select id from parent)
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

/** For runs that few are like: a statement of their own, so that the others send no columns of nulls. */
export const insertSpecialRuns: InsertRuns = async (db, rows) => {
  const runs = rows.map(({ run }) => run);
  const kept = packBytes(rows.map((row) => row.kept ?? NOTHING));
  const values = [
    ...valuesOf(rows),
    runs.map(({ testStep }) => testStep ?? null),
    plainArray(runs.map(({ parent }) => parent?.runId ?? 'null')),
    plainArray(runs.map(({ parent }) => String(parent?.failOnFailure ?? false))),
    plainArray(runs.map(({ parent }) => parent?.depth ?? 0)),
    plainArray(runs.map(({ retryOfRunId }) => retryOfRunId ?? 'null')),
    plainArray(runs.map(({ isAwaited }) => String(isAwaited ?? false))),
    plainArray(kept.starts),
    plainArray(kept.lengths),
    kept.bytes,
  ];
  const query = { name: 'insert-special-runs', text: INSERT_SPECIAL, values };
  const answered = (await db.query<{ id: string; inserted: boolean }>(query)).rows;
  return {
    ids: idsOf({ rows: answered.filter(({ inserted }) => inserted) }),
    refused: idsOf({ rows: answered.filter(({ inserted }) => !inserted) }),
  };
};

const NOTHING = Buffer.alloc(0);

/** Whether the narrow statement has no column for something that the run is. */
export const isSpecial = (run: NewRun): boolean =>
  run.testStep !== undefined ||
  run.parent !== undefined ||
  run.retryOfRunId !== undefined ||
  run.isAwaited === true ||
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
    runs.map((run) => run.idempotencyKey),
    plainArray(rows.map(({ jobId }) => jobId)),
    plainArray(payloads.starts),
    plainArray(payloads.lengths),
    payloads.bytes,
  ];
}

const idsOf = ({ rows }: { rows: readonly { id: string }[] }): Set<string> => new Set(rows.map(({ id }) => id));

// A row without a key can only have met itself: an insert that was repeated because nobody knew how it ended.
const FIND = `
  select asked.place, run.id
  from unnest($1::int[], $2::uuid[], $3::uuid[], $4::text[]) as asked (place, id, flow_id, key)
  join flow_run run on asked.key is not null and run.flow_id = asked.flow_id and run.idempotency_key = asked.key
  union all
  select asked.place, run.id
  from unnest($1::int[], $2::uuid[], $3::uuid[], $4::text[]) as asked (place, id, flow_id, key)
  join flow_run run on asked.key is null and run.id = asked.id`;

/** The run that has the row's key, by the row's place; absent when it has gone meanwhile. */
export async function findIdempotentRuns(pool: Pool, rows: readonly IntakeRow[]): Promise<Map<number, string>> {
  const runs = rows.map(({ run }) => run);
  const result = await pool.query<{ place: number; id: string }>({
    name: 'find-idempotent-runs',
    text: FIND,
    values: [
      plainArray(runs.map((_, place) => place)),
      plainArray(runs.map((run) => run.id)),
      plainArray(runs.map((run) => run.flowId)),
      runs.map((run) => run.idempotencyKey),
    ],
  });
  return new Map(result.rows.map(({ place, id }) => [place, id]));
}

/** Of several that do this at once one clears the key; whoever inserts first then has it. */
export async function forgetIdempotencyKeys(pool: Pool, runIds: readonly string[]): Promise<void> {
  await pool.query({
    name: 'forget-idempotency-keys',
    text: `update flow_run set idempotency_key = null
           where id in (select id from flow_run where id = any($1::uuid[]) order by id for update)`,
    values: [plainArray(runIds)],
  });
}
