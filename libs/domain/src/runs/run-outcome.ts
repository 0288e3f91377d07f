import type { FailedStep } from './flow-run';
import type { RunResponse } from '../journal/step-effects';

/** How a run ended, as a value, and what its steps left with it. */
export type RunOutcome = RunLeftBehind &
  /** `reason` is the message of the step that ended the run. */
  (
    | { kind: 'succeeded'; reason?: string }
    /**
     * `reason` is one sentence about the run when the step's message is not the whole story: a limit of the run, or the
     * message of the step that ended the run.
     */
    | { kind: 'failed'; step: FailedStep; reason: string | null }
    | { kind: 'timedOut' }
    | { kind: 'stopped' }
    /** We could not bring the run to an ending: that is not the flow's doing. */
    | { kind: 'internalError'; reason: string }
  );

/** What the steps of a run left with it. */
export interface RunLeftBehind {
  /** Steps that ended SUCCEEDED, FAILED or PAUSED: a loop and a router 1 each, their bodies once per iteration. */
  stepsCount: number;
  /** Each once, in the order in which they were added. */
  tags: readonly string[];
  /** For whoever waits for the run. */
  response?: RunResponse;
}
