import { BulkRuns, principalName, retryKey, type Principal, type RunIdempotencyKey } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { ProjectAccess } from '../auth/project-access';
import { actInBatches } from '../runs/run-batches';
import { PacedRetriesService } from './paced-retries.service';
import { RETRIED_AT_ONCE, RetriesOfMany, retryFilter, type OneOfMany } from './retries-of-many';
import type { RetriedDto, RetryRunsDto } from './run-retry.dto';

/** Retries many runs of one project. Runs that cannot be retried are skipped and not counted. */
@Injectable()
export class BulkRetriesService {
  constructor(
    private readonly bulk: BulkRuns,
    private readonly retries: RetriesOfMany,
    private readonly paced: PacedRetriesService,
    private readonly access: ProjectAccess,
  ) {}

  /**
   * Retries the runs now, or makes a paced retry when the caller says how fast or until when. `callKey` is the caller's
   * idempotency key for this call; a repeated call with the same key retries no run twice.
   */
  async retry(principal: Principal, body: RetryRunsDto, callKey: string | null): Promise<RetriedDto> {
    const projectId = await this.access.projectOf(principal, body.projectId);
    const isPaced = body.ratePerSecond !== undefined || body.stopAfterFailures !== undefined;
    if (!isPaced || body.dryRun) return { retried: await this.retryNow(principal, { ...body, projectId }, callKey) };
    const { id: pacedRetryId } = await this.paced.make(principal, { ...body, projectId }, callKey);
    return { retried: 0, pacedRetryId };
  }

  private async retryNow(
    principal: Principal,
    body: RetryRunsDto & { projectId: string },
    callKey: string | null,
  ): Promise<number> {
    const { projectId, strategy, dryRun } = body;
    const triggeredBy = principalName(principal);
    const limit = pLimit(RETRIED_AT_ONCE);
    return actInBatches(this.bulk, retryFilter(projectId, body), async (runIds) => {
      const one = (runId: string): OneOfMany => {
        const idempotencyKey = keyOf(triggeredBy, callKey, runId);
        return { runId, projectId, strategy, triggeredBy, idempotencyKey, dryRun };
      };
      const retried = await Promise.allSettled(runIds.map((runId) => limit(() => this.retries.retry(one(runId)))));
      return retried.reduce((count, result) => count + retriedIn(result), 0);
    });
  }
}

const keyOf = (triggeredBy: string, callKey: string | null, runId: string): RunIdempotencyKey | null =>
  callKey === null ? null : retryKey(`${triggeredBy} ${callKey} ${runId}`);

/** Counts the retry of one run. Rethrows an error when all others have been tried. */
function retriedIn(result: PromiseSettledResult<string | null>): number {
  if (result.status === 'rejected') throw result.reason;
  return result.value === null ? 0 : 1;
}
