import type { RunParent } from '../journal/new-child-run';
import type { TriggerKind } from '../trigger-kind';
import type { RunEnvironment } from '../run-status';
import type { RunIdempotencyKey } from './idempotency-key';
import type { RunPayload, StoredPayload } from './run-payload';
import type { RecordedStep } from '../journal/step-record';

/** A run that is asked for: all that must be on disk before the sender gets its answer. */
export interface NewRun {
  id: string;
  projectId: string;
  flowId: string;
  flowVersionId: string;
  environment: RunEnvironment;
  triggeredBy: string;
  triggerType: TriggerKind;
  /** The same key for the same flow within 24 h names the same run. */
  idempotencyKey: RunIdempotencyKey | null;
  payload: RunPayload;
  /** The step that the run tests alone; without it the run goes through the whole flow. */
  testStep?: string;
  /** The run that started this one. It must not be final when the row is written, or nothing is. */
  parent?: RunParent;
  /** The run of which this is another try. */
  retryOfRunId?: string;
  /** Somebody waits for the run's response: it is announced as soon as it is on record. */
  isAwaited?: boolean;
  /** Steps taken over from another run: they count as executed. */
  kept?: readonly RecordedStep[];
}

/** One whose payload may have been made into what is stored. */
export type ArrivingRun = Omit<NewRun, 'payload'> & { payload: RunPayload | StoredPayload };

/** Most runs above a run. */
export const MAX_RUN_DEPTH = 10;

export interface Acceptance {
  /** The run that answers this request: the new one, or the first with the same idempotency key. */
  runId: string;
  replayed: boolean;
}

/**
 * The one way a run comes into being. Resolves only when the run's row is committed, so a 200 may follow.
 * Requests that arrive together share one statement and are enqueued together; if enqueueing fails, the run is
 * still accepted, and the rescuer enqueues it. Rejects with ServiceUnavailableError when it cannot be kept.
 */
export abstract class RunIntake {
  abstract accept(run: ArrivingRun): Promise<Acceptance>;
}
