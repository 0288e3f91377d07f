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

/** At most this many runs are retried at once, because each holds its records in memory. */
const RETRIED_AT_ONCE = 8;

interface BulkRetry extends RetryRunsDto {
  projectId: string;
  callKey: string | null;
}

/** Retries many runs of one project. Runs that cannot be retried are skipped and not counted. */
@Injectable()
export class BulkRetriesService {
  constructor(
    private readonly bulk: BulkRuns,
    private readonly runsToRetry: RunsToRetry,
    private readonly retries: RunRetriesService,
    private readonly access: ProjectAccess,
  ) {}

  /**
   * Returns the number of runs that were retried. `callKey` is the caller's idempotency key for this call; a repeated
   * call with the same key retries no run twice.
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

/** A named run is retried whatever its status, archived or not. Without names, runs that have a retry are skipped. */
function retryFilter(projectId: string, body: RetryRunsDto): FlowRunFilter {
  if (body.flowRunIds) return { ...bulkFilter(projectId, body, RETRYABLE), includeArchived: true };
  return { ...bulkFilter(projectId, body, RETRIED_STATUSES), withoutRetry: true };
}

/** Counts the retry of one run. Rethrows every error that the run itself did not cause. */
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
