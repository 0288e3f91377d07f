import type { FailedStep } from './flow-run';

/**
 * How a run ended, as a value. `stepsCount` counts the steps that ended SUCCEEDED, FAILED or PAUSED: a loop and a
 * router 1 each, the steps of their bodies once per iteration, the trigger not.
 */
export type RunOutcome =
  | { kind: 'succeeded'; stepsCount: number }
  /** `reason` is one sentence about the run when the step's message is not the whole story: a limit of the run. */
  | { kind: 'failed'; step: FailedStep; reason: string | null; stepsCount: number }
  | { kind: 'timedOut'; stepsCount: number }
  | { kind: 'stopped'; stepsCount: number };
