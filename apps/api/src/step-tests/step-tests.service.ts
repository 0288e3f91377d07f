import {
  FlowOperationInvalidError,
  FlowRepository,
  SampleDataWriter,
  stepsOf,
  storableJson,
  type FlowVersion,
  type Principal,
  type SampleDataEntry,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { VersionChecker } from '../flows/version-checker';
import { TestRunIntake } from '../runs/test-run-intake';
import { EndedStepTests, type StepTest } from './ended-step-tests';
import type { TestStepDto } from './step-test.dto';

/** Runs one step of a flow alone, and stores its input and output as sample data for later steps. */
@Injectable()
export class StepTestsService {
  constructor(
    private readonly flows: FlowRepository,
    private readonly checker: VersionChecker,
    private readonly testRuns: TestRunIntake,
    private readonly ended: EndedStepTests,
    private readonly samples: SampleDataWriter,
  ) {}

  async test(principal: Principal, { flowId, stepName }: TestStepDto): Promise<StepTest> {
    const flow = await this.flows.get(flowId, principal.projectIds);
    assertIsAction(flow.version, stepName);
    const concernsStep = (problem: { stepName: string }): boolean => problem.stepName === stepName;
    await this.checker.assertTestable(flow, 'The step cannot be tested', concernsStep);
    const runId = await this.testRuns.start(principal, flow, { testStep: stepName });
    const test = await this.ended.wait(runId, flow.projectId, stepName);
    await this.samples.save(flow.id, samplesOf(stepName, test));
    return test;
  }
}

function assertIsAction({ trigger }: FlowVersion, stepName: string): void {
  const named = JSON.stringify(stepName);
  if (trigger.name === stepName)
    throw new FlowOperationInvalidError(`The trigger ${named} is no step that can be tested alone.`);
  for (const { name } of stepsOf(trigger)) if (name === stepName) return;
  throw new FlowOperationInvalidError(`There is no step ${named} in the flow.`);
}

/** Returns the sample data of a test. A failed step has a useful input, but no useful output. */
function samplesOf(stepName: string, { status, input, output }: StepTest): SampleDataEntry[] {
  const given = status === 'RUNNING' ? [] : [{ type: 'INPUT' as const, value: input }];
  const gave = status === 'SUCCEEDED' ? [{ type: 'OUTPUT' as const, value: output }] : [];
  return [...given, ...gave].map(({ type, value }) => ({
    stepName,
    type,
    payload: storableJson(JSON.stringify(value ?? null)),
  }));
}
