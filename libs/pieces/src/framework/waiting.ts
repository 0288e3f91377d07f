import type { HumanRequest } from '@millrace/domain';

// How an action waits: for a moment, a person, or another run.
//
// Nothing of an action stays in memory while it waits. So `run` does not await: it returns what `context.waitFor` gives,
// and that is all it does last. The step is PAUSED, the run lets go of its worker, and both survive any restart.
//
// W1. A wait is recorded before it can end: what ends it (time, an answer, the child's ending) is never missed.
// W2. A wait ends exactly once. Of several answers one ends it, and the others are refused.
// W3. When it has ended, the action's `resume` is called with the ending, in whatever process; what it returns is the
//     step's output. Without `resume` the ending itself is: of a person's the answer. `resume` may wait again.
// W4. `resume` that fails is retried and reported as `run` is; the wait itself is not repeated.
// W5. Tags, a response and log lines from before the wait are kept with it.
// W6. Cancelling the run ends its waits, without a call of `resume`.

declare const wait: unique symbol;

/** A wait that has not begun: it does when `run` or `resume` returns it. There is nothing in it to await. */
export interface Wait {
  readonly [wait]: true;
}

export interface WaitFor {
  /** Until a moment; one that has passed ends the wait as soon as it is on record. */
  timer(until: Date): Wait;
  /** For the answer to a request. `until`: then it ends unanswered; absent, the run's own limit for waiting counts. */
  human(request: HumanRequest & { until?: Date }): Wait;
  /** For the ending of a run of another flow. The child is started with the wait, once, whatever crashes. */
  child(start: ChildStart): Wait;
}

export interface ChildStart {
  /** Id or external id of a flow of the same project, which must be enabled. */
  flow: string;
  /** What its trigger is given. */
  payload: unknown;
}
