import {
  BulkRuns,
  EntityNotFoundError,
  FlowRunDataExpiredError,
  FlowRunNotRetryableError,
  RETRIED_STATUSES,
  type FlowRunFilter,
  type Principal,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { ProjectAccess } from '../auth/project-access';
import { bulkFilter } from '../runs/bulk-runs.dto';
import { actInBatches } from '../runs/run-batches';
import { FurtherRuns } from './further-runs';
import { RETRYABLE, type RetryRunsDto } from './run-retry.dto';
import { RunRetriesService } from './run-retries.service';

/** Each holds the records of one run in memory. */
const RETRIED_AT_ONCE = 8;

/** Retrying of many runs of one project. Those that cannot be retried are passed over, and not counted. */
@Injectable()
export class BulkRetriesService {
  constructor(
    private readonly bulk: BulkRuns,
    private readonly further: FurtherRuns,
    private readonly retries: RunRetriesService,
    private readonly access: ProjectAccess,
  ) {}

  async retry(principal: Principal, body: RetryRunsDto): Promise<number> {
    const projectId = await this.access.projectOf(principal, body.projectId);
    const filter = retryFilter(projectId, body);
    // A retry that fails at once matches too: only what was there before this call is retried.
    const firstNewId = newId();
    const limit = pLimit(RETRIED_AT_ONCE);
    return actInBatches(this.bulk, filter, async (runIds) => {
      const older = runIds.filter((runId) => runId < firstNewId);
      const retried = await Promise.allSettled(
        older.map((runId) => limit(() => this.retryOne(principal, runId, projectId, body))),
      );
      return retried.reduce((count, result) => count + retriedIn(result), 0);
    });
  }

  private async retryOne(
    principal: Principal,
    runId: string,
    projectId: string,
    { strategy, dryRun }: RetryRunsDto,
  ): Promise<number> {
    const recorded = await this.further.recorded(runId, [projectId]);
    const retry = await this.retries.retryOf(principal, recorded, strategy);
    if (!dryRun) await this.further.start(retry);
    return 1;
  }
}

/** Runs that are named are meant, archived or not, and however they ended. */
function retryFilter(projectId: string, body: RetryRunsDto): FlowRunFilter {
  if (body.flowRunIds) return { ...bulkFilter(projectId, body, RETRYABLE), includeArchived: true };
  return bulkFilter(projectId, body, RETRIED_STATUSES);
}

/** Throws what is no reason of the run's own. */
function retriedIn(result: PromiseSettledResult<number>): number {
  if (result.status === 'fulfilled') return result.value;
  const reason: unknown = result.reason;
  const isOfRun =
    reason instanceof FlowRunNotRetryableError ||
    reason instanceof FlowRunDataExpiredError ||
    reason instanceof EntityNotFoundError;
  if (isOfRun) return 0;
  throw reason;
}
