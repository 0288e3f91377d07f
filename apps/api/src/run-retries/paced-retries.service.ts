import {
  Clock,
  FlowRunRepository,
  PacedRetries,
  principalName,
  type PacedRetry,
  type Page,
  type Principal,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { pageOf, type ProjectPagedQueryDto } from '../rest/paged-query.dto';
import { matchesNothing } from '../runs/run-batches';
import type { PacedRetryDto, PacedRetryPageDto } from './paced-retry.dto';
import { PacedRetryRunner } from './paced-retry-runner';
import { retryFilter } from './retries-of-many';
import type { RetryRunsDto } from './run-retry.dto';

const DEFAULT_PER_SECOND = 10;

/** Makes, lists and cancels paced retries. */
@Injectable()
export class PacedRetriesService {
  constructor(
    private readonly pacedRetries: PacedRetries,
    private readonly runs: FlowRunRepository,
    private readonly access: ProjectAccess,
    private readonly runner: PacedRetryRunner,
    private readonly clock: Clock,
  ) {}

  async make(
    principal: Principal,
    body: RetryRunsDto & { projectId: string },
    callKey: string | null,
  ): Promise<PacedRetry> {
    const filter = retryFilter(body.projectId, body);
    const now = this.clock.now();
    const made: PacedRetry = {
      id: newId(),
      projectId: body.projectId,
      status: 'RUNNING',
      filter,
      strategy: body.strategy,
      ratePerSecond: body.ratePerSecond ?? DEFAULT_PER_SECOND,
      stopAfterFailures: body.stopAfterFailures ?? null,
      requestedBy: principalName(principal),
      total: matchesNothing(filter) ? 0 : await this.runs.count(filter),
      ...{ started: 0, skipped: 0, succeeded: 0, failed: 0 },
      ...{ created: now, updated: now, finished: null },
    };
    const stored = await this.pacedRetries.insert(made, callKey);
    this.runner.lookSoon();
    return stored;
  }

  async list(principal: Principal, query: ProjectPagedQueryDto): Promise<PacedRetryPageDto> {
    const projectId = await this.access.projectOf(principal, query.projectId);
    const page: Page<PacedRetry> = await this.pacedRetries.list(projectId, pageOf(query));
    return { ...page, data: page.data.map(shown) };
  }

  async read(principal: Principal, id: string): Promise<PacedRetryDto> {
    return shown(await this.pacedRetries.get(id, principal.projectIds));
  }

  async cancel(principal: Principal, id: string): Promise<PacedRetryDto> {
    return shown(await this.pacedRetries.cancel(id, principal.projectIds));
  }
}

function shown({ filter, ...retry }: PacedRetry): PacedRetryDto {
  const { flowId = null, failedStepName = null, fingerprint = null } = filter;
  return { ...retry, flowId, failedStepName, fingerprint };
}
