import { Injectable } from '@nestjs/common';
import { firstIdAt, UnfinishedRuns, type UnfinishedRun } from '@millrace/domain';
import { Pool } from 'pg';
import { NIL } from 'uuid';
import { idRange, inIdRange } from '../postgres/id-range';
import { plainArray } from '../postgres/packed-bytes';

// Both questions bound the id, so that the index of unfinished runs answers them.

const UNFINISHED = `
  select id, project_id as "projectId", flow_id as "flowId", flow_version_id as "flowVersionId", epoch,
    job_id as "jobId", start_time as "startTime", lease_until as "leaseUntil"
  from flow_run where status = 'RUNNING'`;

const FIND_UNFINISHED = `
  ${UNFINISHED} and id < $1 and id > $2 and (lease_until is null or lease_until < now()) order by id limit $3`;

// A run began after it was created, and its time counts from then or later. What has not gone on since it was paused
// waits for a worker, and its time with it.
const FIND_OVERDUE = `
  ${UNFINISHED} and id < $1 and paused_at is null and coalesce(time_counts_from, start_time) < $2 order by id limit $3`;

const ASSIGN_JOBS = `
  update flow_run run set job_id = assigned.job_id
  from unnest($1::uuid[], $2::uuid[]) as assigned (run_id, job_id)
  where run.id = assigned.run_id and run.status = 'RUNNING' and ${inIdRange('run.id', 3)}`;

@Injectable()
export class PostgresUnfinishedRuns extends UnfinishedRuns {
  constructor(private readonly pool: Pool) {
    super();
  }

  findUnfinished(createdBefore: Date, afterId: string | null, limit: number): Promise<UnfinishedRun[]> {
    return this.read('find-unfinished', FIND_UNFINISHED, [firstIdAt(createdBefore), afterId ?? NIL, limit]);
  }

  findOverdue(startedBefore: Date, limit: number): Promise<UnfinishedRun[]> {
    return this.read('find-overdue', FIND_OVERDUE, [firstIdAt(startedBefore), startedBefore, limit]);
  }

  assignJob(runIds: readonly string[], jobId: string): Promise<void> {
    return this.assignJobs([{ runIds, jobId }]);
  }

  async assignJobs(jobs: readonly { runIds: readonly string[]; jobId: string }[]): Promise<void> {
    const assigned = jobs.flatMap(({ runIds, jobId }) => runIds.map((runId) => ({ runId, jobId })));
    if (assigned.length === 0) return;
    // One order for all, so that two statements never wait for each other's rows in a ring.
    assigned.sort((a, b) => (a.runId < b.runId ? -1 : 1));
    const ids = assigned.map(({ runId }) => runId);
    const values = [plainArray(ids), plainArray(assigned.map(({ jobId }) => jobId)), ...idRange(ids)];
    await this.pool.query({ name: 'assign-jobs', text: ASSIGN_JOBS, values });
  }

  private async read(name: string, text: string, values: unknown[]): Promise<UnfinishedRun[]> {
    return (await this.pool.query<UnfinishedRun>({ name, text, values })).rows;
  }
}
