import { Injectable } from '@nestjs/common';
import { isId, responseOnRecord, RunAnswers, type FlowRunStatus, type RunAnswer } from '@millrace/domain';
import { Pool } from 'pg';
import { plainArray } from '../postgres/packed-bytes';
import { loadSegments, segmentsByRun } from './run-journal.statements';
import { readRecords } from './segment-records';

const STATUSES = 'select id, status from flow_run where id = any($1::uuid[])';

const ENDED = `select id from flow_run where id = any($1::uuid[]) and status not in ('RUNNING', 'PAUSED')`;

@Injectable()
export class PostgresRunAnswers extends RunAnswers {
  constructor(private readonly pool: Pool) {
    super();
  }

  async read(runIds: readonly string[]): Promise<ReadonlyMap<string, RunAnswer>> {
    // The status first: when it is final, the last segment is there.
    const runs = await this.ask<{ id: string; status: FlowRunStatus }>('run-statuses', STATUSES, runIds);
    const segments = segmentsByRun(
      await loadSegments(
        this.pool,
        runs.map(({ id }) => id),
      ),
    );
    const answers = runs.map(async ({ id, status }): Promise<[string, RunAnswer]> => {
      const recorded = await readRecords((segments.get(id) ?? []).map(({ records }) => records));
      return [id, { status, response: responseOnRecord(recorded) }];
    });
    return new Map(await Promise.all(answers));
  }

  async ended(runIds: readonly string[]): Promise<string[]> {
    return (await this.ask<{ id: string }>('ended-runs', ENDED, runIds)).map(({ id }) => id);
  }

  private async ask<Row extends object>(name: string, text: string, runIds: readonly string[]): Promise<Row[]> {
    const ids = runIds.filter(isId);
    if (ids.length === 0) return [];
    return (await this.pool.query<Row>({ name, text, values: [plainArray(ids)] })).rows;
  }
}
