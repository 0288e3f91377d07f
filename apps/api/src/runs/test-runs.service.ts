import { FlowRepository, FlowRunRepository, type FlowRunDetail, type Principal } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { VersionChecker } from '../flows/version-checker';
import { parseTestRunRequest } from './test-run-request';
import { TestRunIntake } from './test-run-intake';

@Injectable()
export class TestRunsService {
  constructor(
    private readonly flows: FlowRepository,
    private readonly checker: VersionChecker,
    private readonly testRuns: TestRunIntake,
    private readonly runs: FlowRunRepository,
  ) {}

  /** Starts a run of the latest version, and first checks the version against the present pieces and connections. */
  async start(principal: Principal, flowId: string, body: unknown): Promise<FlowRunDetail> {
    const flow = await this.flows.get(flowId, principal.projectIds);
    const request = parseTestRunRequest(body);
    await this.checker.assertTestable(flow, 'The flow cannot be tested');
    const runId = await this.testRuns.start(principal, flow, request);
    return this.runs.getDetail(runId, [flow.projectId]);
  }
}
