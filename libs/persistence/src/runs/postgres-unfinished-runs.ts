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
const FIND_UNFINISHED = `
  ${UNFINISHED} and id > $1 and id <= $2 and (id <= $4 or updated < $5)
    and (lease_until is null or lease_until < now()) and not ${IS_HELD}
  order by id limit $3`;

// A run's time counts from its start or later, and the start is after the creation that its id tells. The time of a run
// that was paused stands still until a worker claims it, so `paused_at` must be null. So does the time of a run that
// waits by the rules of its flow; it may have a start, because a run whose worker died is claimed before it is loaded.
// The query skips locked rows. It locks the few runs that it finds until it ends, which does no harm.
const FIND_OVERDUE = `
  ${UNFINISHED} and id > $1 and id <= $2 and paused_at is null and coalesce(time_counts_from, start_time) < $4
    and not ${IS_HELD}
  order by id limit $3 for no key update skip locked`;

const OLDEST = 'select id from flow_run order by id limit 1';
const YOUNGEST = 'select id from flow_run order by id desc limit 1';

/** An id that is so far ahead of our clock comes from a clock that is ahead. */
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
  private readonly unfinished = new IdSweep<UnfinishedRun>(Date.now);
  private readonly overdue = new IdSweep<UnfinishedRun>(Date.now);

  /** Runs are searched in a pool of their own: many searches may take long. A worker also assigns jobs for its own runs. */
  constructor(
    private readonly pool: Pool,
    @Inject(SIDE_WORK_POOL) private readonly searched: Pool = pool,
  ) {
    super();
  }

  async findUnfinished(createdBefore: Date, afterId: string | null, limit: number): Promise<UnfinishedRun[]> {
    const oldEnough = firstIdAt(createdBefore);
    const read = this.reading('find-unfinished', FIND_UNFINISHED, oldEnough, createdBefore);
    return this.unfinished.next(read, await this.orAhead(oldEnough), afterId, limit);
  }

  async findOverdue(startedBefore: Date, limit: number): Promise<UnfinishedRun[]> {
    const read = this.reading('find-overdue', FIND_OVERDUE, startedBefore);
    return this.overdue.next(read, await this.orAhead(firstIdAt(startedBefore)), null, limit);
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
   * The id up to which runs are searched: usually `upTo`, because younger runs are too young. When a clock that is ahead
   * has made ids, the search goes through all runs. Otherwise these would be found only when that time has come.
   */
  private async orAhead(upTo: string): Promise<string> {
    const { rows } = await this.searched.query<{ id: string }>({ name: 'youngest-run', text: YOUNGEST });
    const youngest = rows[0]?.id;
    const isAhead = youngest !== undefined && youngest > firstIdAt(new Date(Date.now() + AHEAD_MS));
    return isAhead && youngest > upTo ? youngest : upTo;
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
