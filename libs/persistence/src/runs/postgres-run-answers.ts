import { Injectable } from '@nestjs/common';
import { isFinal, isId, RunAnswers, type FlowRunStatus, type RunAnswer, type RunResponse } from '@millrace/domain';
import { Pool } from 'pg';
import { idRange, inIdRange } from '../postgres/id-range';
import { plainArray } from '../postgres/packed-bytes';
import { decodeJson } from '../postgres/stored-json';
import { findResponse } from './response-on-record';

const READ = `
  select run.id, run.status, kept.response from flow_run run left join run_response kept on kept.run_id = run.id
  where run.id = any($1::uuid[]) and ${inIdRange('run.id', 2)}`;

const ENDED = `select id from flow_run
  where id = any($1::uuid[]) and status not in ('RUNNING', 'PAUSED') and ${inIdRange('id', 2)}`;

const PROJECT = 'select project_id from flow_run where id = $1';

interface FoundRun {
  id: string;
  status: FlowRunStatus;
  response: Buffer | null;
}

/**
 * Reads the responses that were stored when they were announced. A worker may have died before its announcement, so a
 * response of an ended run is read from the journal otherwise. Journals may be large and are read one after the other.
 */
@Injectable()
export class PostgresRunAnswers extends RunAnswers {
  constructor(private readonly pool: Pool) {
    super();
  }

  async read(runIds: readonly string[]): Promise<ReadonlyMap<string, RunAnswer>> {
    const answers = new Map<string, RunAnswer>();
    for (const run of await this.ask<FoundRun>('read-answers', READ, runIds))
      answers.set(run.id, { status: run.status, response: await this.responseOf(run) });
    return answers;
  }

  async ended(runIds: readonly string[]): Promise<string[]> {
    return (await this.ask<{ id: string }>('ended-runs', ENDED, runIds)).map(({ id }) => id);
  }

  async projectOf(runId: string): Promise<string | null> {
    const query = { name: 'project-of-run', text: PROJECT, values: [runId] };
    return (await this.pool.query<{ project_id: string }>(query)).rows[0]?.project_id ?? null;
  }

  private async responseOf({ id, status, response }: FoundRun): Promise<RunResponse | null> {
    if (response) return JSON.parse(await decodeJson(response)) as RunResponse;
    return isFinal(status) ? findResponse(this.pool, id) : null;
  }

  private async ask<Row extends object>(name: string, text: string, runIds: readonly string[]): Promise<Row[]> {
    const ids = runIds.filter(isId);
    if (ids.length === 0) return [];
    return (await this.pool.query<Row>({ name, text, values: [plainArray(ids), ...idRange(ids)] })).rows;
  }
}
