import {
  childRunOf,
  EntityNotFoundError,
  FlowNotEnabledError,
  FlowRunRepository,
  FlowVersionReader,
  isFinal,
  principalName,
  RunIntake,
  type FlowRun,
  type NewRun,
  type Principal,
  type PublishedFlow,
  type RunWithRecord,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import {
  askingRun,
  PARENT_RUN,
  payloadOf,
  wrongHeader,
  type AskingRun,
  type RequestHeaders,
} from './nested-run-request';

/** Starts runs of published flows by a call, as children of another run or without a parent. */
@Injectable()
export class NestedRunsService {
  constructor(
    private readonly flows: FlowVersionReader,
    private readonly runs: FlowRunRepository,
    private readonly intake: RunIntake,
  ) {}

  /** Starts a run, which is on the disk when this resolves. */
  async start(principal: Principal, flowId: string, headers: RequestHeaders, body: unknown): Promise<FlowRun> {
    const flow = await this.visibleFlow(principal, flowId);
    const asking = askingRun(headers);
    const payload = payloadOf(body);
    const run = asking ? await this.childRun(flow, asking, payload) : runByCall(flow, principal, payload);
    const { runId } = await this.intake.accept(run);
    return this.runs.get(runId, [flow.projectId]);
  }

  private async visibleFlow({ projectIds }: Principal, flowId: string): Promise<PublishedFlow> {
    const flow = await this.flows.findPublished(flowId);
    if (!flow || (projectIds !== 'any' && !projectIds.includes(flow.projectId)))
      throw new EntityNotFoundError('flow', flowId);
    return flow;
  }

  private async childRun(flow: PublishedFlow, { runId, failOnFailure }: AskingRun, payload: string): Promise<NewRun> {
    const { run: parent, depth } = await this.parentIn(flow.projectId, runId);
    if (isFinal(parent.status)) throw wrongHeader(PARENT_RUN, `names the run ${runId}, which has ended.`);
    const caller = { runId: parent.id, projectId: parent.projectId, depth };
    return childRunOf(flow, caller, { id: newId(), payload, failParentOnFailure: failOnFailure });
  }

  private async parentIn(projectId: string, runId: string): Promise<Pick<RunWithRecord, 'run' | 'depth'>> {
    try {
      return await this.runs.getParent(runId, [projectId]);
    } catch (error) {
      if (error instanceof EntityNotFoundError) throw wrongHeader(PARENT_RUN, 'names no run of the flow’s project.');
      throw error;
    }
  }
}

function runByCall(flow: PublishedFlow, principal: Principal, payload: string): NewRun {
  if (flow.status !== 'ENABLED' || flow.publishedVersionId === null) throw new FlowNotEnabledError(flow.flowId);
  return {
    id: newId(),
    projectId: flow.projectId,
    flowId: flow.flowId,
    flowVersionId: flow.publishedVersionId,
    environment: 'PRODUCTION',
    triggeredBy: principalName(principal),
    triggerType: 'MANUAL',
    idempotencyKey: null,
    payload,
  };
}
