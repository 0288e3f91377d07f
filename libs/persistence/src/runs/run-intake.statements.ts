import type { NewRun } from '@millrace/domain';
import type { Pool } from 'pg';
import { packBytes, plainArray } from '../postgres/packed-bytes';

/** A run on its way into the table. */
export interface IntakeRow {
  run: NewRun;
  payload: Buffer;
  /** The job that will carry it. */
  jobId: string;
}

/** Inserts rows, and answers the ids that were inserted; the others met a run with their key, or with their id. */
export type InsertRuns = (pool: Pool, rows: readonly IntakeRow[]) => Promise<Set<string>>;

const insertStatement = (moreColumns = '', moreArrays = '') => `
  insert into flow_run (id, project_id, flow_id, flow_version_id, environment, triggered_by, trigger_type,
                        idempotency_key, job_id, payload, updated${moreColumns})
  select id, project_id, flow_id, flow_version_id, environment, triggered_by, trigger_type,
         idempotency_key, job_id, substr($12::bytea, payload_start, payload_length), now()${moreColumns}
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[],
              $8::text[], $9::uuid[], $10::int[], $11::int[]${moreArrays})
    as r (id, project_id, flow_id, flow_version_id, environment, triggered_by, trigger_type,
          idempotency_key, job_id, payload_start, payload_length${moreColumns})
  on conflict do nothing
  returning id`;

const INSERT = insertStatement();

export const insertRuns: InsertRuns = async (pool, rows) => {
  const query = { name: 'insert-runs', text: INSERT, values: valuesOf(rows) };
  return idsOf(await pool.query<{ id: string }>(query));
};

const INSERT_STEP_TESTS = insertStatement(', test_step', ', $13::text[]');

/** For runs that test one step: a statement of their own, so that the other runs send no column of nulls. */
export const insertStepTests: InsertRuns = async (pool, rows) => {
  const testSteps = rows.map(({ run }) => run.testStep ?? null);
  const query = { name: 'insert-step-tests', text: INSERT_STEP_TESTS, values: [...valuesOf(rows), testSteps] };
  return idsOf(await pool.query<{ id: string }>(query));
};

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
