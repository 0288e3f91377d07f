import type { FlowRunStatus } from '../run-status';
import type { ControlDemand, PublishedLimits, ResourceId } from './control-demand';
import type { ControlEnding, Standing } from './control-rules';

/**
 * - `gathering`: the run waits for others with its key, by debounce or batch.
 * - `waiting`: the run waits for its turn.
 * - `admitted`: the run may execute, and holds its place.
 * - `paused`: the run is paused and holds no place. It waits for one again when it is resumed.
 */
export type ControlState = 'gathering' | 'waiting' | 'admitted' | 'paused';

/** What the ledger says of one run. The entry is gone when the run has ended. */
export interface ControlEntry {
  runId: string;
  flowId: string;
  state: ControlState;
  /** The epoch of the run at its last admission. A worker that has lost the run gives up nothing of it. */
  epoch: number;
  demand: ControlDemand;
  /** When the run is looked at again, whatever happens before. */
  due: Date | null;
  /** What the run waits for; null when it does not wait. */
  reason: string | null;
}

/** A run that was the first with its key. */
export interface FirstRun {
  runId: string;
  came: Date;
}

/**
 * What is on record of the controlled runs of one flow, while nobody else may change it. All changes are committed
 * together, or none. Of several runs that wait for one resource, the oldest has its turn first.
 */
export abstract class ControlLedger {
  /** One clock for all decisions. */
  abstract readonly now: Date;
  /** The limits of the flow at this time; null when they are not on record, and each run has those of its version. */
  abstract readonly published: PublishedLimits | null;
  abstract find(runId: string): Promise<ControlEntry | null>;
  abstract standing(runId: string, demand: ControlDemand): Promise<Standing>;
  /** The oldest run that waits for this resource; null when none does. */
  abstract headOf(resource: ResourceId): Promise<ControlEntry | null>;
  /** The runs that gather in this resource, oldest first, at most `limit`. */
  abstract gatheredIn(resource: ResourceId, limit: number): Promise<ControlEntry[]>;
  /** How many runs gather in this resource, and when the first of them is due. */
  abstract countGathered(resource: ResourceId): Promise<{ count: number; due: Date | null }>;
  abstract put(entry: ControlEntry): Promise<void>;
  abstract remove(runIds: readonly string[]): Promise<void>;
  /** Counts the run in its rate as one that begins now. A run is counted once, at its last start. */
  abstract countStart(runId: string, rate: NonNullable<ControlDemand['rate']>): Promise<void>;
  /** The first run of this key that came less than the window before or after this time; null when there is none. */
  abstract firstNear(dedupe: NonNullable<ControlDemand['dedupe']>, came: Date): Promise<FirstRun | null>;
  abstract addFirst(first: FirstRun, dedupe: NonNullable<ControlDemand['dedupe']>): Promise<void>;
  /** Whether somebody asked for this very run by retrying another one. */
  abstract isRetry(runId: string): Promise<boolean>;
  /** Whether a worker has noted that the run has begun. */
  abstract hasBegun(runId: string): Promise<boolean>;
  /** Null when there is no such run. */
  abstract statusOf(runId: string): Promise<FlowRunStatus | null>;
  /** Gives the run a new job when it is RUNNING, or else resolves with false. */
  abstract wake(runId: string): Promise<boolean>;
  /** Ends those of the runs that have not ended. */
  abstract end(runIds: readonly string[], ending: ControlEnding): Promise<void>;
  /**
   * Gives the first of these runs that has not ended the payloads of all of them, as a list. Takes fewer when the list
   * would be too large, but at least one. Resolves with the runs that it took, oldest first.
   */
  abstract join(runIds: readonly string[]): Promise<string[]>;
}
