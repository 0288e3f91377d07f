import { Inject, Injectable } from '@nestjs/common';
import { firstIdAt, UnfinishedRuns, type UnfinishedRun } from '@millrace/domain';
import { Pool } from 'pg';
import { idRange, inIdRange } from '../postgres/id-range';
import { inTransaction } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';
import { SIDE_WORK_POOL } from '../postgres/pool-share';
import { IdSweep, LONGEST_READ_MS, type SweptRuns } from './id-sweep';

// Both queries bound the id, so that PostgreSQL uses the index of unfinished runs.

const UNFINISHED = `
  select id, project_id as "projectId", flow_version_id as "flowVersionId", job_id as "jobId", lease_until as "leaseUntil"
  from flow_run where status = 'RUNNING'`;

const IS_HELD = `exists (
  select from flow_control_run held where held.run_id = flow_run.id and held.state in ('waiting', 'gathering'))`;

// A run that waits by the rules of its flow has no job. Flow control gives it one. The id of a run may come from a
// gateway whose clock is ahead. Then `updated` tells that the run is old enough, because PostgreSQL sets it.
// No moment comes from the clock of this process: the leader's may be wrong.
const FIND_UNFINISHED = `
  ${UNFINISHED} and id > $1 and id <= $2 and (id <= $4 or updated < now() - $5::float8 * interval '1 millisecond')
    and (lease_until is null or lease_until < now()) and not ${IS_HELD}
  order by id limit $3`;

// A run's time counts from its start or later, and the start is after its creation. The time of a run that was paused
// stands still until a worker claims it, so `paused_at` must be null. So does the time of a run that waits by the rules
// of its flow; it may have a start, because a run whose worker died is claimed before it is loaded.
// The query skips locked rows. It locks the few runs that it finds until it ends, which does no harm.
const FIND_OVERDUE = `
  ${UNFINISHED} and id > $1 and id <= $2 and paused_at is null
    and coalesce(time_counts_from, start_time) < now() - $4::float8 * interval '1 millisecond' and not ${IS_HELD}
  order by id limit $3 for no key update skip locked`;

const OLDEST = 'select id from flow_run order by id limit 1';
const PRESENT = 'select now() as now, (select id from flow_run order by id desc limit 1) as youngest';

/** An id that is so far ahead of the database's clock comes from a clock that is ahead. */
const AHEAD_MS = 60_000;

const ASSIGN_JOB = `
  update flow_run set job_id = $2
  where id = any($1::uuid[]) and status = 'RUNNING' and ${inIdRange('id', 3)}`;

// Rows are locked in the order of their ids, so that two statements never wait for each other's rows.
const ASSIGN_JOBS = `
  with free as (
    select id from flow_run where id = any($1::uuid[]) and status = 'RUNNING' and ${inIdRange('id', 3)}
    order by id for no key update skip locked
  )
  update flow_run run set job_id = assigned.job_id
  from unnest($1::uuid[], $2::uuid[]) as assigned (run_id, job_id) join free on free.id = assigned.run_id
  where run.id = assigned.run_id and ${inIdRange('run.id', 3)}
  returning run.id`;

@Injectable()
export class PostgresUnfinishedRuns extends UnfinishedRuns {
  private readonly unfinished = new IdSweep<UnfinishedRun>();
  private readonly overdue = new IdSweep<UnfinishedRun>();

  /** Runs are searched in a pool of their own: many searches may take long. A worker also assigns jobs for its own runs. */
  constructor(
    private readonly pool: Pool,
    @Inject(SIDE_WORK_POOL) private readonly searched: Pool = pool,
  ) {
    super();
  }

  async findUnfinished(ageMs: number, afterId: string | null, limit: number): Promise<UnfinishedRun[]> {
    const { oldEnough, upTo } = await this.idsOfAge(ageMs);
    const read = this.reading('find-unfinished', FIND_UNFINISHED, oldEnough, ageMs);
    return this.unfinished.next(read, upTo, afterId, limit);
  }

  async findOverdue(timeMs: number, limit: number): Promise<UnfinishedRun[]> {
    const { upTo } = await this.idsOfAge(timeMs);
    return this.overdue.next(this.reading('find-overdue', FIND_OVERDUE, timeMs), upTo, null, limit);
  }

  async assignJob(runIds: readonly string[], jobId: string): Promise<void> {
    if (runIds.length === 0) return;
    const values = [plainArray([...runIds].sort()), jobId, ...idRange(runIds)];
    await this.pool.query({ name: 'assign-job', text: ASSIGN_JOB, values });
  }

  async assignJobs(jobs: readonly { runIds: readonly string[]; jobId: string }[]): Promise<ReadonlySet<string>> {
    const assigned = jobs.flatMap(({ runIds, jobId }) => runIds.map((runId) => ({ runId, jobId })));
    if (assigned.length === 0) return new Set();
    const ids = assigned.map(({ runId }) => runId);
    const values = [plainArray(ids), plainArray(assigned.map(({ jobId }) => jobId)), ...idRange(ids)];
    const { rows } = await this.pool.query<{ id: string }>({ name: 'assign-jobs', text: ASSIGN_JOBS, values });
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * The id of this age, and the id up to which runs are searched. These are usually the same, because younger runs are
   * too young. When a clock that is ahead has made ids, the search goes through all runs. Otherwise these would be found
   * only when that time has come.
   */
  private async idsOfAge(ageMs: number): Promise<{ oldEnough: string; upTo: string }> {
    const { rows } = await this.searched.query<{ now: Date; youngest: string | null }>({
      name: 'present',
      text: PRESENT,
    });
    const nowMs = rows[0]?.now.getTime() ?? 0;
    const youngest = rows[0]?.youngest ?? '';
    const oldEnough = firstIdAt(new Date(nowMs - ageMs));
    return { oldEnough, upTo: youngest > firstIdAt(new Date(nowMs + AHEAD_MS)) ? youngest : oldEnough };
  }

  private reading(name: string, text: string, ...more: unknown[]): SweptRuns<UnfinishedRun> {
    const oldest = async () =>
      (await this.searched.query<{ id: string }>({ name: 'oldest-run', text: OLDEST })).rows[0]?.id;
    return {
      oldest: async () => (await oldest()) ?? null,
      read: (from, to, limit) =>
        inTransaction(this.searched, async (tx) => {
          await tx.query(`set local statement_timeout = ${LONGEST_READ_MS}`);
          return (await tx.query<UnfinishedRun>({ name, text, values: [from, to, limit, ...more] })).rows;
        }),
    };
  }
}
