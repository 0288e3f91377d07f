import type { HumanRequest } from '@millrace/domain';

// How an action waits: for a moment, a person, or another run.
//
// An action does not stay in memory while it waits. So `run` does not await the ending: it returns the result of
// `context.waitFor` as its last act. The step is then PAUSED, the worker releases the run, and both survive a restart.
//
// W1. A wait is recorded before it can end, so its ending (the moment, the answer, the child's ending) is never missed.
// W2. A wait ends exactly once. The first answer ends it, and later answers are refused.
// W3. When the wait has ended, the action's `resume` is called with the ending, possibly in another process. Its result
//     is the step's output. When the action has no `resume`, the output is the ending itself, or a person's answer.
//     `resume` may wait again.
// W4. A failure of `resume` is retried and reported like a failure of `run`. The wait itself is not repeated.
// W5. Tags, a response and log lines from before the wait are kept with it.
// W6. Cancelling the run ends its waits without a call of `resume`.

declare const wait: unique symbol;

/** A wait that has not begun. It begins when `run` or `resume` returns it, and cannot be awaited. */
export interface Wait {
  readonly [wait]: true;
}

export interface WaitFor {
  /** Waits until a moment. A moment that has passed ends the wait as soon as it is on record. */
  timer(until: Date): Wait;
  /**
   * Waits for the answer to a request, at most until `until`. When `until` is absent, the run's limit for waits counts.
   */
  human(request: HumanRequest & { until?: Date }): Wait;
  /** Starts a run of another flow and waits for its ending. A crash does not start a second child. */
  child(start: ChildStart): Wait;
}

export interface ChildStart {
  /** The id or external id of an enabled flow of the same project. */
  flow: string;
  /** The output of the child's trigger. */
  payload: unknown;
}
