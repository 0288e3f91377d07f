import type { ExecutionSlot, JsonText } from '@millrace/domain';

/** Source that runs in the sandbox. Two programs with the same hash are the same program. */
export type GuestProgram =
  /** A code step: TypeScript that exports `code`, and the JSON text of its package.json. */
  | { kind: 'code'; code: string; packageJson: string; hash: string }
  /** One function expression (a script in sloppy mode) that is called with the input and returns a value. */
  | { kind: 'expressions'; script: string; hash: string };

/** Who runs, for the code's frozen global `run`. */
export interface RunningStep {
  id: string;
  flowId: string;
  projectId: string;
  /** `<runId>:<path>`, the same at every attempt. */
  stepKey: string;
}

export interface CodeCall {
  program: GuestProgram;
  input: JsonText;
  run: RunningStep;
  /** Left while the program sleeps. */
  slot?: ExecutionSlot;
}

export type CodeOutcome =
  | { kind: 'value'; output: JsonText; logs: readonly string[] }
  /** The author's code threw or broke a limit; the message is for the author and names the limit. */
  | { kind: 'failed'; message: string; logs: readonly string[] };

/**
 * Runs code that we do not trust. A failing program is an outcome; a rejection is our own trouble, except when the
 * signal has been aborted: then the call may end in any way, soon.
 */
export abstract class CodeRunner {
  abstract run(call: CodeCall, signal: AbortSignal): Promise<CodeOutcome>;
}
