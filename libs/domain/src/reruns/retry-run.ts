import type { FlowRunStatus } from '../run-status';
import { FlowRunDataExpiredError } from '../errors/flow-run-data-expired.error';
import { FlowRunDataUnreadableError } from '../errors/flow-run-data-unreadable.error';
import { FlowRunNotRetryableError } from '../errors/flow-run-not-retryable.error';
import type { RunWithRecord, RunData } from '../runs/flow-run.repository';
import { keptRecords } from './kept-records';
import type { NewRun } from '../runs/run-intake';
import type { RunPayload } from '../journal/run-payload';
import { isFinal } from '../runs/run-transitions';
import type { RecordedStep } from '../journal/step-record';

export type RetryStrategy = 'FROM_FAILED_STEP' | 'ON_LATEST_VERSION';
export const RETRY_STRATEGIES: readonly RetryStrategy[] = ['FROM_FAILED_STEP', 'ON_LATEST_VERSION'];

/** The statuses that a bulk retry selects when the caller names none. */
export const RETRIED_STATUSES: readonly FlowRunStatus[] = [
  'FAILED',
  'TIMEOUT',
  'INTERNAL_ERROR',
  'QUOTA_EXCEEDED',
  'STOPPED',
];

/** An ended run with its payload. Another run can be made from it. */
export interface EndedRun extends RunWithRecord {
  data: RunData & { payload: RunPayload };
}

/**
 * Throws FlowRunNotRetryableError when the run has not ended, FlowRunDataExpiredError when its data was purged, and
 * FlowRunDataUnreadableError when its payload cannot be read.
 */
export function endedRun(recorded: RunWithRecord, retentionDays: number): EndedRun {
  const { run, data } = recorded;
  if (!isFinal(run.status))
    throw new FlowRunNotRetryableError(run.id, run.status, `The run ${run.id} has not ended yet.`);
  if (!data) throw new FlowRunDataExpiredError(run.id, retentionDays);
  const { payload } = data;
  if (payload === null) throw new FlowRunDataUnreadableError(run.id);
  return { ...recorded, data: { ...data, payload } };
}

/** Throws FlowRunDataUnreadableError. */
export function stepsOnRecord({ run, data }: Pick<EndedRun, 'run' | 'data'>): readonly RecordedStep[] {
  if (data.recorded) return data.recorded;
  throw new FlowRunDataUnreadableError(run.id);
}

/**
 * The records that a new run keeps to continue at the failed step of this run. Throws FlowRunNotRetryableError when the
 * run succeeded, and FlowRunDataUnreadableError.
 */
export function keptFromFailedStep({ run, data }: EndedRun): RecordedStep[] {
  if (run.status === 'SUCCEEDED')
    throw new FlowRunNotRetryableError(run.id, run.status, `The run ${run.id} succeeded, so it has no failed step.`);
  return keptRecords(stepsOnRecord({ run, data }), run);
}

type Another = Pick<NewRun, 'id' | 'triggeredBy' | 'flowVersionId'> &
  Partial<Pick<NewRun, 'kept' | 'payload' | 'environment'>>;

/** A new run with the request of the ended run. It has no parent, because the parent knows the old run's ending. */
export function anotherRun({ run, testStep, triggerType, data }: EndedRun, { kept, ...another }: Another): NewRun {
  return {
    projectId: run.projectId,
    flowId: run.flowId,
    environment: run.environment,
    triggerType,
    idempotencyKey: null,
    payload: data.payload,
    retryOfRunId: run.id,
    ...(testStep === null ? {} : { testStep }),
    ...(kept && kept.length > 0 ? { kept } : {}),
    ...another,
  };
}
