import { Injectable } from '@nestjs/common';
import { firstIdAt, UnfinishedRuns, type UnfinishedRun } from '@millrace/domain';
import { Pool } from 'pg';
import { NIL } from 'uuid';
import { plainArray } from '../postgres/packed-bytes';

// Both questions bound the id, so that the index of unfinished runs answers them.

const UNFINISHED = `
  select id, project_id as "projectId", flow_id as "flowId", flow_version_id as "flowVersionId", epoch,
    job_id as "jobId", start_time as "startTime", lease_until as "leaseUntil"
  from flow_run where status = 'RUNNING'`;

const FIND_UNFINISHED = `
  ${UNFINISHED} and id < $1 and id > $2 and (lease_until is null or lease_until < now()) order by id limit $3`;

// A run began after it was created.
const FIND_OVERDUE = `
  ${UNFINISHED} and id < $1 and start_time < $2 order by id limit $3`;

const ASSIGN_JOB = `
  update flow_run set job_id = $2 where id = any($1::uuid[]) and status = 'RUNNING'`;

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

  async assignJob(runIds: readonly string[], jobId: string): Promise<void> {
    if (runIds.length === 0) return;
    await this.pool.query({ name: 'assign-job', text: ASSIGN_JOB, values: [plainArray(runIds), jobId] });
  }

  private async read(name: string, text: string, values: unknown[]): Promise<UnfinishedRun[]> {
    return (await this.pool.query<UnfinishedRun>({ name, text, values })).rows;
  }
}
