import {
  BulkRuns,
  EntityNotFoundError,
  FlowRunDataExpiredError,
  FlowRunDataUnreadableError,
  FlowRunNotRetryableError,
  principalName,
  RETRIED_STATUSES,
  retryKey,
  type FlowRunFilter,
  type Principal,
  type RunIdempotencyKey,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { ProjectAccess } from '../auth/project-access';
import { bulkFilter } from '../runs/bulk-runs.dto';
import { actInBatches } from '../runs/run-batches';
import { RunsToRetry } from './runs-to-retry';
import { RETRYABLE, type RetryRunsDto } from './run-retry.dto';
import { RunRetriesService } from './run-retries.service';

/** Each holds the records of one run in memory. */
const RETRIED_AT_ONCE = 8;

interface BulkRetry extends RetryRunsDto {
  projectId: string;
  callKey: string | null;
}

/** Retrying of many runs of one project. Those that cannot be retried are passed over, and not counted. */
@Injectable()
export class BulkRetriesService {
  constructor(
    private readonly bulk: BulkRuns,
    private readonly runsToRetry: RunsToRetry,
    private readonly retries: RunRetriesService,
    private readonly access: ProjectAccess,
  ) {}

  /**
   * `callKey`: what the caller named this call by. Called again under it after it broke off, it retries no run twice.
   */
  async retry(principal: Principal, body: RetryRunsDto, callKey: string | null): Promise<number> {
    const projectId = await this.access.projectOf(principal, body.projectId);
    const filter = retryFilter(projectId, body);
    const limit = pLimit(RETRIED_AT_ONCE);
    return actInBatches(this.bulk, filter, async (runIds) => {
      const retried = await Promise.allSettled(
        runIds.map((runId) => limit(() => this.retryOne(principal, runId, { ...body, projectId, callKey }))),
      );
      return retried.reduce((count, result) => count + retriedIn(result), 0);
    });
  }

  private async retryOne(
    principal: Principal,
    runId: string,
    { projectId, strategy, dryRun, callKey }: BulkRetry,
  ): Promise<number> {
    const recorded = await this.runsToRetry.recorded(runId, [projectId]);
    const retry = await this.retries.retryOf(principal, recorded, strategy);
    if (!dryRun) await this.runsToRetry.start({ ...retry, idempotencyKey: keyOf(principal, callKey, runId) });
    return 1;
  }
}

const keyOf = (principal: Principal, callKey: string | null, runId: string): RunIdempotencyKey | null =>
  callKey === null ? null : retryKey(`${principalName(principal)} ${callKey} ${runId}`);

/** Runs that are named are meant, archived or not, and however they ended; others once. */
function retryFilter(projectId: string, body: RetryRunsDto): FlowRunFilter {
  if (body.flowRunIds) return { ...bulkFilter(projectId, body, RETRYABLE), includeArchived: true };
  return { ...bulkFilter(projectId, body, RETRIED_STATUSES), withoutRetry: true };
}

/** Throws what is no reason of the run's own. */
function retriedIn(result: PromiseSettledResult<number>): number {
  if (result.status === 'fulfilled') return result.value;
  const reason: unknown = result.reason;
  const isOfRun =
    reason instanceof FlowRunNotRetryableError ||
    reason instanceof FlowRunDataExpiredError ||
    reason instanceof FlowRunDataUnreadableError ||
    reason instanceof EntityNotFoundError;
  if (isOfRun) return 0;
  throw reason;
}
