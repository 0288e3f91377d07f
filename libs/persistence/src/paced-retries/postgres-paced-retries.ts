import { Injectable } from '@nestjs/common';
import {
  EntityNotFoundError,
  isId,
  MOST_PACED_RETRIES,
  PacedRetries,
  QuotaExceededError,
  type ClaimedRetry,
  type FlowRunStatus,
  type PacedRetry,
  type Page,
  type PageRequest,
  type RetryUnderWay,
} from '@millrace/domain';
import { Pool } from 'pg';
import { readPage } from '../lists/page-cursor';
import { idRange, inIdRange } from '../postgres/id-range';
import { inTransaction } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';
import {
  cancelRetry,
  claimRetry,
  countRunning,
  findRetry,
  insertRetry,
  listRetries,
  lockProject,
  releaseRetry,
  retryOfCall,
  saveRetry,
} from './paced-retry.statements';

type ProjectIds = readonly string[] | 'any';

const STATUSES = `select id, status from flow_run where id = any($1::uuid[]) and ${inIdRange('id', 2)}`;

@Injectable()
export class PostgresPacedRetries extends PacedRetries {
  constructor(private readonly pool: Pool) {
    super();
  }

  insert(retry: PacedRetry, callKey: string | null): Promise<PacedRetry> {
    return inTransaction(this.pool, async (tx) => {
      await lockProject(tx, retry.projectId);
      const earlier = callKey === null ? null : await retryOfCall(tx, retry, callKey);
      if (earlier) return earlier;
      const running = await countRunning(tx, retry.projectId);
      if (running >= MOST_PACED_RETRIES) throw new QuotaExceededError('pacedRetries', MOST_PACED_RETRIES, running);
      await insertRetry(tx, retry, callKey);
      return retry;
    });
  }

  async get(id: string, projectIds: ProjectIds): Promise<PacedRetry> {
    const retry = isId(id) ? await findRetry(this.pool, id, projectIds) : null;
    if (!retry) throw new EntityNotFoundError('paced_retry', id);
    return retry;
  }

  list(projectId: string, page: PageRequest): Promise<Page<PacedRetry>> {
    return readPage(page, ['paced retries', projectId], async (slice) =>
      isId(projectId) ? listRetries(this.pool, projectId, slice) : [],
    );
  }

  async cancel(id: string, projectIds: ProjectIds): Promise<PacedRetry> {
    if (isId(id)) await cancelRetry(this.pool, id, projectIds);
    return this.get(id, projectIds);
  }

  claim(): Promise<ClaimedRetry | null> {
    return claimRetry(this.pool);
  }

  save({ epoch }: ClaimedRetry, retry: RetryUnderWay): Promise<boolean> {
    return saveRetry(this.pool, epoch, retry);
  }

  release(claim: ClaimedRetry): Promise<void> {
    return releaseRetry(this.pool, claim);
  }

  async statusesOf(runIds: readonly string[]): Promise<ReadonlyMap<string, FlowRunStatus>> {
    if (runIds.length === 0) return new Map();
    const query = { name: 'statuses-of-runs', text: STATUSES, values: [plainArray(runIds), ...idRange(runIds)] };
    const { rows } = await this.pool.query<{ id: string; status: FlowRunStatus }>(query);
    return new Map(rows.map(({ id, status }) => [id, status]));
  }
}
