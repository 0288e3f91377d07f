import type { QuarantineLevel } from './slots/quarantine';
import type { RunSlot } from './slots/run-slot';

/**
 * What became of a run that a job delivered.
 * - `ended`, `paused`: this is on record. A paused run is enqueued again when one of its waits ends.
 * - `discarded`: this worker had nothing to do. The run has ended, is paused, or belongs to another worker.
 * - `reenqueue`: the run has to continue under a new job.
 * - a level of quarantine: the run has lost workers, and has to execute in that quarantine.
 */
export type DeliveryResult = 'ended' | 'paused' | 'discarded' | 'reenqueue' | QuarantineLevel;

export interface RunDelivery {
  /**
   * The job was lost together with its worker. The run is claimed before it executes, because it may have caused the
   * loss.
   */
  wasLost: boolean;
  /** The level of quarantine in which the run executes; undefined when it executes in a slot. */
  quarantine?: QuarantineLevel;
  slot?: RunSlot;
}
