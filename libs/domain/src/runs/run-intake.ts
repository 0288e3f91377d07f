import type { RunParent } from '../journal/new-child-run';
import type { TriggerKind } from '../trigger-kind';
import type { RunEnvironment } from '../run-status';
import type { RunIdempotencyKey } from './idempotency-key';
import type { RunPayload, StoredPayload } from '../journal/run-payload';
import type { RecordedStep } from '../journal/step-record';

/** A requested run: everything that must be on disk before the sender gets its answer. */
export interface NewRun {
  id: string;
  projectId: string;
  flowId: string;
  flowVersionId: string;
  environment: RunEnvironment;
  triggeredBy: string;
  triggerType: TriggerKind;
  /** Requests with the same key for the same flow within 24 h get the same run. */
  idempotencyKey: RunIdempotencyKey | null;
  payload: RunPayload;
  /** The step that the run tests alone; without it the run goes through the whole flow. */
  testStep?: string;
  /** The run that started this one. No row is written when the parent has ended. */
  parent?: RunParent;
  /** For a run without a parent: how many runs led to it, one by the other, by the events that they published. */
  depth?: number;
  /** The run that this run retries. */
  retryOfRunId?: string;
  /** True when a sender waits for the run's response, which is then published as soon as it is on record. */
  isAwaited?: boolean;
  /** The records kept from another run. Their steps count as executed. */
  kept?: readonly RecordedStep[];
}

/** A requested run whose payload may be in its stored form already. */
export type ArrivingRun = Omit<NewRun, 'payload'> & { payload: RunPayload | StoredPayload };

/** The most runs that may be above a run. */
export const MAX_RUN_DEPTH = 10;

export interface Acceptance {
  /** The run for this request: the new one, or the first one with the same idempotency key. */
  runId: string;
  replayed: boolean;
}

/**
 * The only way to create a run. `accept` resolves only when the run's row is committed, so a 200 may follow. Requests
 * that arrive together share one statement and are enqueued together. A run that could not be enqueued is accepted all
 * the same, and the rescuer enqueues it. Rejects with ServiceUnavailableError when the run cannot be stored.
 */
export abstract class RunIntake {
  abstract accept(run: ArrivingRun): Promise<Acceptance>;
}
