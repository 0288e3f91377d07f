import { isId, RunLogs, type FlowRunStatus, type RecordedStep, type RunLog } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { plainArray } from '../postgres/packed-bytes';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { readRecords, whenReadable } from '../runs/segment-records';

/** A segment may hold some megabytes. */
const SEGMENTS_READ_AT_ONCE = 8;

// A run without its payload has lost its data, or is losing it now.
const FIND = `
  select id, project_id, flow_id, flow_version_id, status, start_time, finish_time, status_reason
  from flow_run where id = $1 and start_time is not null and payload is not null and ($2::uuid[] is null or project_id = any($2))`;

const NEXT_SEGMENTS = `
  select seq, records from run_segment where run_id = $1 and seq > $2 order by seq limit ${SEGMENTS_READ_AT_ONCE}`;

interface LoggedRunRow {
  id: string;
  project_id: string;
  flow_id: string;
  flow_version_id: string;
  status: FlowRunStatus;
  start_time: Date;
  finish_time: Date | null;
  status_reason: string | null;
}

interface SegmentRow {
  seq: number;
  records: Buffer;
}

@Injectable()
export class PostgresRunLogs extends RunLogs {
  constructor(private readonly pool: Pool) {
    super();
  }

  async find(runId: string, projectIds: readonly string[] | 'any'): Promise<RunLog | null> {
    try {
      const row = isId(runId) ? await this.run(runId, projectIds) : undefined;
      return row ? { run: toRun(row), records: this.recordsOf(row.id) } : null;
    } catch (error) {
      throw nameDatabaseError(error);
    }
  }

  private async *recordsOf(runId: string): AsyncGenerator<RecordedStep[] | 'unreadable'> {
    for (let after = -1; ;) {
      const segments = await this.segmentsAfter(runId, after);
      for (const { seq, records } of segments)
        yield (await whenReadable(readRecords([records]), `Segment ${seq} of run ${runId}`)) ?? 'unreadable';
      const last = segments.at(-1);
      if (!last || segments.length < SEGMENTS_READ_AT_ONCE) return;
      after = last.seq;
    }
  }

  private async run(runId: string, projectIds: readonly string[] | 'any'): Promise<LoggedRunRow | undefined> {
    const projects = projectIds === 'any' ? null : plainArray(projectIds.filter(isId));
    const query = { name: 'find-logged-run', text: FIND, values: [runId, projects] };
    return (await this.pool.query<LoggedRunRow>(query)).rows[0];
  }

  private async segmentsAfter(runId: string, seq: number): Promise<SegmentRow[]> {
    const query = { name: 'next-segments', text: NEXT_SEGMENTS, values: [runId, seq] };
    return (await this.pool.query<SegmentRow>(query)).rows;
  }
}

const toRun = (row: LoggedRunRow): RunLog['run'] => ({
  id: row.id,
  projectId: row.project_id,
  flowId: row.flow_id,
  flowVersionId: row.flow_version_id,
  status: row.status,
  startTime: row.start_time,
  finishTime: row.finish_time,
  statusReason: row.status_reason,
});
