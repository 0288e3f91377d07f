import type { FailedStep } from './flow-run';
import type { RunResponse } from '../journal/step-effects';

/** How a run ended, and what its steps left behind. */
export type RunOutcome = RunLeftBehind &
  /** `reason` is the message of the step that ended the run. */
  (
    | { kind: 'succeeded'; reason?: string }
    /**
     * `reason` is one sentence about the run, when the message of the failed step does not say everything: it names a
     * limit of the run, or is the message of the step that ended the run.
     */
    | { kind: 'failed'; step: FailedStep; reason: string | null }
    | { kind: 'timedOut' }
    | { kind: 'stopped' }
    /** The service failed to execute the run; the flow did not cause this. */
    | { kind: 'internalError'; reason: string }
  );

/** What the steps of a run left behind. */
export interface RunLeftBehind {
  /** How many steps are SUCCEEDED, FAILED or PAUSED. A loop counts once, the steps of its body once per iteration. */
  stepsCount: number;
  /** The tags, each once, in the order in which they were added. */
  tags: readonly string[];
  /** The answer to the sender that waits for the run. */
  response?: RunResponse;
}
