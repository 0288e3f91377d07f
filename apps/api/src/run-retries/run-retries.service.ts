import {
  AuthorizationError,
  FlowRunRepository,
  FlowVersionReader,
  keptFromFailedStep,
  recordsInVersion,
  type EndedRun,
  type FlowRun,
  type NewRun,
  type Principal,
  type RunWithRecord,
  type RecordedStep,
  type RetryStrategy,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { FurtherRuns } from './further-runs';
import type { RetryRunDto } from './run-retry.dto';

/** A retry is a new run; the run that it retries is left as it was. */
@Injectable()
export class RunRetriesService {
  constructor(
    private readonly further: FurtherRuns,
    private readonly versions: FlowVersionReader,
    private readonly runs: FlowRunRepository,
  ) {}

  async retry(principal: Principal, runId: string, { strategy, projectId }: RetryRunDto): Promise<FlowRun> {
    const recorded = await this.further.recorded(runId, principal.projectIds);
    if (recorded.run.projectId !== projectId)
      throw new AuthorizationError(projectId, `The run ${runId} is not in the project ${JSON.stringify(projectId)}.`);
    const retry = await this.retryOf(principal, recorded, strategy);
    await this.further.start(retry);
    return this.runs.get(retry.id, [projectId]);
  }

  /** The run that a retry would start. Throws as `endedRun` and `keptFromFailedStep`. */
  async retryOf(principal: Principal, recorded: RunWithRecord, strategy: RetryStrategy): Promise<NewRun> {
    const ended = this.further.ended(recorded);
    if (strategy === 'ON_LATEST_VERSION')
      return this.further.another(principal, ended, { flowVersionId: await this.further.publishedVersionOf(ended) });
    const kept = keptFromFailedStep(ended);
    await this.further.flowOf(ended);
    const { flowVersionId } = ended.run;
    return this.further.another(principal, ended, { flowVersionId, kept: await this.fitting(kept, ended) });
  }

  /** A draft may have been edited since, so that some of its steps are other steps now. */
  private async fitting(kept: RecordedStep[], { run }: EndedRun): Promise<RecordedStep[]> {
    if (run.environment === 'PRODUCTION') return kept;
    return recordsInVersion(kept, await this.versions.getVersion(run.flowVersionId));
  }
}
