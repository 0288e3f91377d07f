import type { StoreWrite } from '../store/store-writes';
import type { LiveTrigger } from './trigger-registry';

// A trigger operation calls the hooks that a change of a flow needs. The change itself and the operation are rows of
// PostgreSQL; a job of the maintenance queue only says that there is work.
//
// O1. A flow has at most one operation at a time, besides tests.
// O2. Before a flow is enabled, an operation ENABLING calls `onEnable`; the api waits for its outcome and then changes
//     the flow. An operation whose api does not come back in time is undone. If no worker has begun with it, no hook is
//     called for that, and what it took over goes on as before.
// O3. A flow is disabled or deleted at once, in the transaction that begins an operation DISABLING. It calls `onDisable`
//     in the background, again and again until it succeeds or its time is over.
// O4. An operation that begins while another one disables takes over what that one has left. The other service may have
//     one webhook per URL, so `onDisable` is called before the `onEnable` of the same flow, not after it. While a worker
//     may be inside the `onEnable` of that one, nothing is called.
// O5. What could not be disabled before another trigger of the flow was enabled is disabled afterwards, in the
//     background as in O3. If the other service is that of the trigger which listens meanwhile, that one is registered
//     anew then: the other service may have one webhook per URL, and may have removed it.
// O6. Each attempt names its claim. Store writes, outcome and status are written in one transaction. An attempt whose
//     operation was undone or taken over meanwhile writes what there is to take back.

/**
 * ENABLING: the api waits. DISABLING: nobody waits. TESTING: the api waits, and the operation belongs to no change.
 */
export type TriggerOperationKind = 'ENABLING' | 'DISABLING' | 'TESTING';

/** A trigger whose `onDisable` is called. */
export interface TriggerToDisable extends LiveTrigger {
  /**
   * Present when another trigger of the flow was enabled since: what the store had for this one where the other has
   * written something. These entries are its own from then on.
   */
  kept?: readonly StoreWrite[];
}

/** Triggers that could not be disabled although another one of their flow is enabled now, or could not be. */
export interface LeftTriggers {
  off: readonly TriggerToDisable[];
  problem: string;
}

export interface TriggerOperation {
  id: string;
  flowId: string;
  projectId: string;
  kind: TriggerOperationKind;
  /** The triggers whose `onDisable` is called, first. */
  off: readonly TriggerToDisable[];
  /** The trigger whose `onEnable` is called then, or the trigger that is tested. */
  on: LiveTrigger | null;
  /**
   * The trigger of the enabled flow, which listens again if `on` fails, and goes on listening without `on`. Null when
   * the flow is disabled.
   */
  restore: LiveTrigger | null;
}

/** An operation that a worker has claimed for an attempt. */
export interface ClaimedOperation extends TriggerOperation {
  epoch: number;
  /** The number of this attempt, from 1. */
  attempt: number;
}

/** An event of an app to which a flow listens, and whose events they are. */
export interface AppListening {
  pieceName: string;
  event: string;
  identifierValue: string;
}

/**
 * How an attempt ended. `writes` are the changes of the store that its hooks have made. `listening` is what the flow
 * listens to from now on; absent, it listens to what it did before. What is `left` is disabled in the background, once
 * the flow has changed or stays as it is.
 */
export type OperationEnding = { listening?: readonly AppListening[] } &
  /** `value` is the result of the hook `test`. */
  (
    | { kind: 'succeeded'; writes: readonly StoreWrite[]; value?: unknown; left?: LeftTriggers }
    /** Nothing more is tried. `listens` says whether the trigger of an enabled flow listens. */
    | { kind: 'failed'; writes: readonly StoreWrite[]; problem: string; listens: boolean; left?: LeftTriggers }
    /**
     * Another attempt follows, which does what `next` says. The problem is null when nothing has failed. What
     * `startsOver` counts its attempts from 1 again.
     */
    | {
        kind: 'retry';
        afterMs: number;
        writes: readonly StoreWrite[];
        next: NextAttempt;
        problem: string | null;
        startsOver?: boolean;
      }
  );

export type NextAttempt = Pick<TriggerOperation, 'off' | 'on' | 'restore'>;

/** What the api learns about an operation for which it waits. */
export type OperationOutcome =
  | { status: 'pending' }
  | { status: 'succeeded'; value: unknown }
  | { status: 'failed'; problem: string }
  /** The operation was undone, or another one took its place. */
  | { status: 'gone' };

/** What a flow change does with the operation of its flow, in the same transaction. */
export type OperationChange =
  /** The enabling succeeded, and the flow is enabled now. */
  | { kind: 'finish'; operationId: string }
  /** The flow listens no more. */
  | { kind: 'begin'; operation: TriggerOperation };

/** How long the api waits for the outcome of an operation, in milliseconds. */
export const OPERATION_PATIENCE_MS = 30_000;
/** How long one hook may take, in milliseconds. */
export const HOOK_TIMEOUT_MS = 20_000;
/**
 * How long the claim of an attempt holds, in milliseconds. Its hooks take 79 s at most; the rest is for making their
 * pieces known and for settling.
 */
export const OPERATION_CLAIM_MS = 90_000;

const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 3_600_000;
const JITTER = 0.1;
/** A background operation is given up after this attempt, about a day after the first. */
export const MOST_OPERATION_ATTEMPTS = 28;

/**
 * How long a background operation waits after its attempt of this number has failed, in milliseconds. `random` is from 0
 * to 1: a service that was away is not called for all its flows in one moment.
 */
export const retryAfterMs = (attempt: number, random: number): number =>
  Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 4 ** (attempt - 1)) * (1 + JITTER * random);

/** Keeps the operations of triggers. */
export abstract class TriggerOperations {
  /**
   * Begins an operation ENABLING or TESTING. An enabling takes over what an operation DISABLING has left. Throws
   * TriggerInUseError when another enabling of the flow is under way, and EntityNotFoundError for an unknown flow.
   */
  abstract begin(operation: TriggerOperation): Promise<void>;
  abstract outcome(operationId: string): Promise<OperationOutcome>;
  /**
   * Undoes an operation for which nobody waits any more, in the background. An operation that has ended otherwise stays
   * as it is.
   */
  abstract undo(operationId: string): Promise<void>;

  /** Claims an operation for an attempt. Null when there is nothing to do, or somebody has claimed it since. */
  abstract claim(operationId: string, epoch: number): Promise<ClaimedOperation | null>;
  /**
   * Writes how the attempt ended. When it is not that of the last claim, what it has registered is taken back by the
   * operation that waits for its end; without one, nothing happens.
   */
  abstract settle(operation: ClaimedOperation, ending: OperationEnding): Promise<void>;

  /**
   * Undoes the operations whose api has not come back, and claims the operations whose job is due or was lost. Resolves
   * with their jobs' rows.
   */
  abstract claimDue(limit: number): Promise<readonly DueOperation[]>;
}

export interface DueOperation {
  id: string;
  epoch: number;
  projectId: string;
  flowVersionId: string;
}
