import type { FlowRunStatus } from '../run-status';
import type { HumanRequest, OpenedRequest } from '../journal/step-wait';

// The rows of waits, for the callers that end waits. Runs pause through RunJournal.
//
// One transaction ends a wait and resumes its run: the run is RUNNING, with the id of the job that will carry it. Then
// the job is enqueued; when that fails, the rescuer enqueues the run. When several callers end one wait, one succeeds.

/** A request as the holder of its link may see it. */
export interface RunRequest {
  requestId: string;
  runId: string;
  projectId: string;
  flowName: string;
  request: HumanRequest;
  /** The status of the run. */
  status: FlowRunStatus;
  /** Whether the request can still be answered: its deadline has not passed, and its run has not ended. */
  isOpen: boolean;
  /** Present when the request has been answered. */
  answer?: unknown;
}

export interface DueWaits {
  /** How many due waits the call handled. Fewer than the limit means that no due wait is left. */
  ended: number;
  /** The runs that were paused for too long, if any. */
  timedOut?: readonly string[];
}

export abstract class RunWaits {
  /**
   * Opens a request of a run that executes, before a step waits for it, so that its link works from then on. A request
   * that exists already stays as it is, because it may have been answered. Does nothing for a run that does not execute.
   */
  abstract open(runId: string, opened: OpenedRequest): Promise<void>;
  /** Null when the run has no such request to a person. */
  abstract find(runId: string, requestId: string): Promise<RunRequest | null>;
  /**
   * Ends the wait with this answer, which is a JSON value. `answered` means that this call ended the wait, `repeated`
   * that an equal answer had ended it before, and `refused` that the wait ended otherwise, is unknown, or that the run
   * has ended. The answer to a request that no step waits for yet is stored for the step.
   */
  abstract answer(runId: string, requestId: string, answer: unknown): Promise<'answered' | 'repeated' | 'refused'>;
  /**
   * Ends waits whose deadline has passed, oldest first. A wait at the limit for paused runs ends its run as TIMEOUT.
   */
  abstract endDue(limit: number): Promise<DueWaits>;
}
