import type { NewRun } from '../runs/run-intake';
import type { RunEnding } from '../runs/run-journal';
import { anId } from './an-id';

/** A run that a webhook asks for. */
export function aNewRun(more: Partial<NewRun> = {}): NewRun {
  return {
    id: anId(),
    projectId: '0199f000-0000-7000-8000-000000000004',
    flowId: '0199f000-0000-7000-8000-000000000001',
    flowVersionId: '0199f000-0000-7000-8000-000000000002',
    environment: 'PRODUCTION',
    triggeredBy: 'webhook',
    triggerType: 'WEBHOOK',
    idempotencyKey: null,
    payload: '{"body":{}}',
    ...more,
  };
}

/** A run that succeeded with one code step, without ever having been claimed. */
export function anEnding(runId: string, more: Partial<RunEnding> = {}): RunEnding {
  return {
    runId,
    epoch: 0,
    seq: 0,
    records: [{ path: 'step_1', type: 'CODE', status: 'SUCCEEDED', duration: 1, input: '{}', output: '1' }],
    status: 'SUCCEEDED',
    startTime: new Date('2026-01-01T00:00:00.000Z'),
    finishTime: new Date('2026-01-01T00:00:01.000Z'),
    stepsCount: 1,
    failedStep: null,
    statusReason: null,
    tags: [],
    ...more,
  };
}
