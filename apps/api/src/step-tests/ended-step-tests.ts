import { FlowRunRepository, isFinal, type FlowRunDetail, type StepResult } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import type { StepTestStatus } from './step-test.dto';

const POLL_MS = 50;
/**
 * How long a test waits for its run, in milliseconds. Proxies between a client and the service allow a request more
 * time.
 */
const PATIENCE_MS = 60_000;

export interface StepTest extends Partial<Pick<StepResult, 'input' | 'output' | 'errorMessage' | 'logs' | 'duration'>> {
  runId: string;
  status: StepTestStatus;
}

/** Waits for the runs of single steps. */
@Injectable()
export class EndedStepTests {
  constructor(private readonly runs: FlowRunRepository) {}

  /** Returns the result of the step. Its status is RUNNING when the run has not ended after a minute. */
  async wait(runId: string, projectId: string, stepName: string): Promise<StepTest> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const run = await this.runs.getDetail(runId, [projectId]);
      if (isFinal(run.status)) return stepTestOf(run, stepName);
      if (performance.now() > deadline) return { runId, status: 'RUNNING' };
      await pause(POLL_MS);
    }
  }
}

/**
 * Returns the result of the step from its run. When the run ended before the step was on record, the result says why.
 */
export function stepTestOf(run: FlowRunDetail, stepName: string): StepTest {
  const step = recordedStep(run, stepName);
  const status = step?.status === 'SUCCEEDED' ? 'SUCCEEDED' : 'FAILED';
  const reason = run.statusReason ?? run.failedStep?.message ?? `The run ended as ${run.status}.`;
  if (!step) return { runId: run.id, status, errorMessage: reason };
  const { input, output, logs, duration } = step;
  const errorMessage = step.errorMessage ?? (status === 'FAILED' ? reason : undefined);
  return {
    runId: run.id,
    status,
    input,
    output,
    duration,
    ...(errorMessage === undefined ? {} : { errorMessage }),
    ...(logs === undefined ? {} : { logs }),
  };
}

function recordedStep({ steps }: FlowRunDetail, stepName: string): StepResult | null {
  const step = steps && Object.hasOwn(steps, stepName) ? steps[stepName] : undefined;
  return step && 'status' in step ? step : null;
}
