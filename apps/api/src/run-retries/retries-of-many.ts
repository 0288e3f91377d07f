import {
  EntityNotFoundError,
  FlowRunDataExpiredError,
  FlowRunDataUnreadableError,
  FlowRunNotRetryableError,
  RETRIED_STATUSES,
  type FlowRunFilter,
  type RetryStrategy,
  type RunIdempotencyKey,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { bulkFilter } from '../runs/bulk-runs.dto';
import { RETRYABLE, type RetryRunsDto } from './run-retry.dto';
import { RunRetriesService } from './run-retries.service';
import { RunsToRetry } from './runs-to-retry';

/** At most this many runs are retried at once, because each holds its records in memory. */
export const RETRIED_AT_ONCE = 8;

export interface OneOfMany {
  runId: string;
  projectId: string;
  strategy: RetryStrategy;
  /** Who retries: a user's id, or `api_key:<id>`. */
  triggeredBy: string;
  /** The retry is started once under this key. */
  idempotencyKey: RunIdempotencyKey | null;
  /** True starts nothing and only finds out whether the run can be retried. */
  dryRun?: boolean;
}

/** Retries the runs of a selection, one at a time, and passes over those that cannot be retried. */
@Injectable()
export class RetriesOfMany {
  constructor(
    private readonly runsToRetry: RunsToRetry,
    private readonly retries: RunRetriesService,
  ) {}

  /** Returns the id of the retry; null for a run that cannot be retried. */
  async retry(one: OneOfMany): Promise<string | null> {
    try {
      return await this.start(one);
    } catch (error) {
      if (isOfRun(error)) return null;
      throw error;
    }
  }

  private async start({ runId, projectId, strategy, triggeredBy, idempotencyKey, dryRun }: OneOfMany): Promise<string> {
    const recorded = await this.runsToRetry.recorded(runId, [projectId]);
    const retry = await this.retries.retryOf(triggeredBy, recorded, strategy);
    return dryRun ? retry.id : this.runsToRetry.start({ ...retry, idempotencyKey });
  }
}

/** A named run is retried whatever its status, archived or not. Without names, runs that have a retry are skipped. */
export function retryFilter(projectId: string, body: RetryRunsDto): FlowRunFilter {
  if (body.flowRunIds) return { ...bulkFilter(projectId, body, RETRYABLE), includeArchived: true };
  return { ...bulkFilter(projectId, body, RETRIED_STATUSES), withoutRetry: true };
}

/** Says whether the run itself is why it cannot be retried. */
const isOfRun = (reason: unknown): boolean =>
  reason instanceof FlowRunNotRetryableError ||
  reason instanceof FlowRunDataExpiredError ||
  reason instanceof FlowRunDataUnreadableError ||
  reason instanceof EntityNotFoundError;
