import {
  AuthorizationError,
  FlowRunRepository,
  FlowVersionReader,
  keptFromFailedStep,
  principalName,
  recordsInVersion,
  shownId,
  type EndedRun,
  type FlowRun,
  type NewRun,
  type Principal,
  type RunWithRecord,
  type RecordedStep,
  type RetryStrategy,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { RunsToRetry } from './runs-to-retry';
import type { RetryRunDto } from './run-retry.dto';

/** Starts retries. A retry is a new run; the retried run stays unchanged. */
@Injectable()
export class RunRetriesService {
  constructor(
    private readonly runsToRetry: RunsToRetry,
    private readonly versions: FlowVersionReader,
    private readonly runs: FlowRunRepository,
  ) {}

  async retry(principal: Principal, runId: string, { strategy, projectId }: RetryRunDto): Promise<FlowRun> {
    const recorded = await this.runsToRetry.recorded(runId, principal.projectIds);
    if (recorded.run.projectId !== projectId)
      throw new AuthorizationError(
        projectId,
        `The run ${runId} is not in the project ${JSON.stringify(shownId(projectId))}.`,
      );
    const retry = await this.retryOf(principalName(principal), recorded, strategy);
    await this.runsToRetry.start(retry);
    return this.runs.get(retry.id, [projectId]);
  }

  /** Returns the run that a retry would start. Throws the errors of `endedRun` and `keptFromFailedStep`. */
  async retryOf(triggeredBy: string, recorded: RunWithRecord, strategy: RetryStrategy): Promise<NewRun> {
    const ended = this.runsToRetry.ended(recorded);
    if (strategy === 'ON_LATEST_VERSION')
      return this.runsToRetry.another(triggeredBy, ended, {
        flowVersionId: await this.runsToRetry.publishedVersionOf(ended),
      });
    const kept = keptFromFailedStep(ended);
    await this.runsToRetry.flowOf(ended);
    const { flowVersionId } = ended.run;
    return this.runsToRetry.another(triggeredBy, ended, { flowVersionId, kept: await this.fitting(kept, ended) });
  }

  /**
   * Keeps only the records that fit the version. A draft may have been edited, so that a name now stands for another
   * step.
   */
  private async fitting(kept: RecordedStep[], { run }: EndedRun): Promise<RecordedStep[]> {
    if (run.environment === 'PRODUCTION') return kept;
    return recordsInVersion(kept, await this.versions.getVersion(run.flowVersionId));
  }
}
