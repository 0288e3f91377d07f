import type { NewChildRun, RunParent } from '../journal/new-child-run';
import type { NewRun } from '../runs/run-intake';
import type { RunEnding, RunPause } from '../runs/run-journal';
import type { NewWait, StepWait } from '../journal/step-wait';
import type { RecordedStep, StepRecord } from '../journal/step-record';
import { anId } from './an-id';

/** A run that a webhook requests. */
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

/** A run that a step of another run starts and waits for. */
export function aChildRun(
  parent: Partial<RunParent> & { runId: string },
  more: Partial<NewChildRun> = {},
): NewChildRun {
  return {
    ...aNewRun({ triggeredBy: 'subflow', triggerType: 'SUBFLOW' }),
    idempotencyKey: null,
    payload: '{}',
    parent: { failOnFailure: false, depth: 1, ...parent },
    ...more,
  };
}

/** The ending of a run that succeeded with one code step and was never claimed. */
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

/** What is on record of a code step that succeeded. */
export const aRecordedStep = (path: string, more: Partial<RecordedStep> = {}): RecordedStep => ({
  path,
  type: 'CODE',
  status: 'SUCCEEDED',
  duration: 1,
  input: {},
  output: path,
  ...more,
});

/** The record of a step that waits. */
export const aPausedRecord = (path: string, requestId: string, more: Partial<StepWait> = {}): StepRecord => ({
  path,
  type: 'ACTION',
  status: 'PAUSED',
  duration: 1,
  input: '{}',
  wait: { requestId, kind: 'timer', since: '2026-01-01T00:00:00.000Z', number: 1, ...more },
});

/** A timer whose moment passed long ago. */
export const aWait = (requestId: string, more: Partial<NewWait> = {}): NewWait => ({
  requestId,
  stepPath: 'step_1',
  kind: 'timer',
  until: new Date('2020-01-01T00:00:00.000Z'),
  request: null,
  child: null,
  ...more,
});

/** The pause of a run at its first step, under its first claim. */
export const aPause = (runId: string, waits: readonly NewWait[], more: Partial<RunPause> = {}): RunPause => ({
  runId,
  epoch: 1,
  seq: 0,
  records: waits.map(({ stepPath, requestId, kind }) => aPausedRecord(stepPath, requestId, { kind })),
  startTime: new Date('2026-01-01T00:00:00.000Z'),
  stepsCount: waits.length,
  tags: [],
  waits,
  ...more,
});
