import {
  FlowRepository,
  FlowRunRepository,
  FlowVersionReader,
  planRerun,
  principalName,
  stepsOnRecord,
  storableJson,
  type EndedRun,
  type FlowRun,
  type FlowVersion,
  type Principal,
  type RerunPlan,
} from '@millrace/domain';
import { BuiltInPieces } from '@millrace/pieces';
import { Injectable } from '@nestjs/common';
import { VersionChecker } from '../flows/version-checker';
import { RunsToRetry } from './runs-to-retry';
import { DEFAULT_RERUN_VERSION, type RerunDto, type RerunVersion } from './rerun.dto';

/** The result of a rerun: a new run, or the plan of a dry run. */
export type Rerun = { run: FlowRun } | { plan: Pick<RerunPlan, 'steps' | 'keptSteps'> };

/** Finds the version that a rerun asks for, and checks that it can run. */
@Injectable()
export class RerunVersions {
  constructor(
    private readonly runsToRetry: RunsToRetry,
    private readonly versions: FlowVersionReader,
    private readonly flows: FlowRepository,
    private readonly checker: VersionChecker,
  ) {}

  /** Throws FlowRunNotRetryableError, and FlowVersionInvalidError for a draft that is not valid. */
  async find(ended: EndedRun, which: RerunVersion): Promise<FlowVersion> {
    if (which === 'latest') return this.versions.getVersion(await this.runsToRetry.publishedVersionOf(ended));
    const { flowId, projectId } = await this.runsToRetry.flowOf(ended);
    if (which === 'same') return this.versions.getVersion(ended.run.flowVersionId);
    const flow = await this.flows.get(flowId, [projectId]);
    await this.checker.assertTestable(flow, 'The draft cannot be run');
    return flow.version;
  }
}

/** Executes an ended run again as a new run, from any of its steps. */
@Injectable()
export class RunRerunsService {
  constructor(
    private readonly runsToRetry: RunsToRetry,
    private readonly versions: RerunVersions,
    private readonly pieces: BuiltInPieces,
    private readonly runs: FlowRunRepository,
  ) {}

  async rerun(principal: Principal, runId: string, body: RerunDto): Promise<Rerun> {
    const ended = this.runsToRetry.ended(await this.runsToRetry.recorded(runId, principal.projectIds));
    const version = await this.versions.find(ended, body.version ?? DEFAULT_RERUN_VERSION);
    const { kept, ...plan } = planRerun(
      {
        version,
        recorded: stepsOnRecord(ended),
        testStep: ended.testStep,
        isPure: (pieceName, actionName) => this.pieces.isPureAction(pieceName, actionName),
      },
      body,
    );
    if (body.dryRun) return { plan };
    const rerun = this.runsToRetry.another(principalName(principal), ended, {
      flowVersionId: version.id,
      kept,
      ...(version.state === 'DRAFT' && { environment: 'TESTING' as const }),
      ...(body.input !== undefined && { payload: storableJson(JSON.stringify(body.input)) }),
    });
    await this.runsToRetry.start(rerun);
    return { run: await this.runs.get(rerun.id, [ended.run.projectId]) };
  }
}
