import type { FlowRunStatus } from '../run-status';
import type { HumanRequest } from '../journal/step-wait';

// The rows of what runs wait for, seen from those who end waits. Pausing goes through RunJournal.
//
// Ending a wait and waking its run are one transaction: the run is RUNNING, with the id of the job that will carry it;
// then the job is enqueued, and the rescuer brings it when that fails. Of all who want to end one wait, one does.

/** A request as whoever has its link may see it. */
export interface RunRequest {
  requestId: string;
  runId: string;
  projectId: string;
  flowName: string;
  request: HumanRequest;
  /** Of the run. */
  status: FlowRunStatus;
  /** It can still be answered: its moment has not passed, and its run has not ended. */
  isOpen: boolean;
  /** Present when it has been answered. */
  answer?: unknown;
}

export interface DueWaits {
  /** How many waits were ended, or runs timed out: fewer than asked for means that none are left. */
  ended: number;
}

export abstract class RunWaits {
  /** Null when there is no such request of a person. */
  abstract find(runId: string, requestId: string): Promise<RunRequest | null>;
  /**
   * Ends the wait with this answer, in JSON. `answered`: this call did. `repeated`: an equal answer did before.
   * `refused`: another answer did, or the run has ended. A request that nothing waits for yet keeps its answer.
   */
  abstract answer(runId: string, requestId: string, answer: unknown): Promise<'answered' | 'repeated' | 'refused'>;
  /** Ends waits whose moment has passed, oldest first. A person's without a moment of its own ends its run as TIMEOUT. */
  abstract endDue(limit: number): Promise<DueWaits>;
}
