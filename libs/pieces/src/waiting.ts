// How an action waits: for a moment, a person, or another run.
//
// Nothing of an action stays in memory while it waits. So `run` does not await: it returns what `context.waitFor` gives,
// and that is all it does last. The step is PAUSED, the run lets go of its worker, and both survive any restart.
//
// W1. A wait is recorded before it can end: what ends it (time, an answer, the child's ending) is never missed.
// W2. A wait ends exactly once. Of several answers one ends it, and the others are refused.
// W3. When it has ended, the action's `resume` is called with the ending, in whatever process; what it returns is the
//     step's output. Without `resume` the ending itself is. `resume` may wait again.
// W4. `resume` that fails is retried and reported as `run` is; the wait itself is not repeated.
// W5. Tags, a response and log lines from before the wait are kept with it.
// W6. Cancelling the run ends its waits, without a call of `resume`.

declare const ending: unique symbol;

/** A wait that `run` or `resume` returns. Ends with a value of type `Ending`. */
export interface Wait<Ending> {
  readonly [ending]: Ending;
}

export interface WaitFor {
  /** Until a moment; one that has passed ends the wait at once. */
  timer(until: Date): Wait<TimerEnding>;
  /** For the answer of a person who has one of the request's links. */
  human(request: HumanRequest): Wait<HumanEnding>;
  /** For the ending of a run of another flow. The child is started with the wait, once, whatever crashes. */
  child(start: ChildStart): Wait<ChildEnding>;
}

export interface TimerEnding {
  kind: 'timer';
  /** ISO 8601. */
  resumedAt: string;
}

export interface FormField {
  name: string;
  label: string;
  type: 'text' | 'number' | 'boolean' | 'date' | 'select';
  required: boolean;
  /** For `select`. */
  options?: readonly string[];
}

export type HumanRequest =
  | { kind: 'approval'; until?: Date }
  /** An answer that does not fit the fields is refused, and the wait goes on. */
  | { kind: 'form'; fields: readonly FormField[]; until?: Date };

export type HumanEnding =
  | { kind: 'approval'; approved: boolean; comment?: string }
  | { kind: 'form'; answer: Readonly<Record<string, unknown>> }
  /** Nobody answered until the moment named. */
  | { kind: 'unanswered' };

export interface ChildStart {
  /** Id or external id of a flow of the same project, which must be enabled. */
  flow: string;
  payload: unknown;
  /** Any ending of the child but SUCCEEDED fails this step too. */
  failParentOnFailure: boolean;
}

export interface ChildEnding {
  kind: 'child';
  runId: string;
  status: 'SUCCEEDED' | 'FAILED' | 'TIMEOUT' | 'STOPPED' | 'QUOTA_EXCEEDED' | 'INTERNAL_ERROR';
  /** What the child's flow returned; null when it returned nothing. */
  response: unknown;
}
