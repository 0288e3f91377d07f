import type { ExecutionSlot, JsonText } from '@millrace/domain';

/** Source code that runs in the sandbox. Programs with the same hash are equal. */
export type GuestProgram =
  /** A code step: TypeScript that exports `code`, and the JSON text of its package.json. */
  | { kind: 'code'; code: string; packageJson: string; hash: string }
  /** One function expression (a script in sloppy mode) that is called with the input and returns a value. */
  | { kind: 'expressions'; script: string; hash: string };

/** The run and the step that call the code, which sees them in its frozen global `run`. */
export interface RunningStep {
  id: string;
  flowId: string;
  projectId: string;
  /** `<runId>:<path>`. It is the same at every attempt. */
  stepKey: string;
}

export interface CodeCall {
  program: GuestProgram;
  input: JsonText;
  run: RunningStep;
  /** The execution slot of the run. The runner leaves it while the program sleeps. */
  slot?: ExecutionSlot;
}

export type CodeOutcome =
  | { kind: 'value'; output: JsonText; logs: readonly string[] }
  /** The author's code threw or broke a limit. The message is for the author and names the limit. */
  | { kind: 'failed'; message: string; logs: readonly string[] };

/**
 * Runs untrusted code. A failing program is an outcome; a rejection means that the runner itself failed. After an abort
 * of the signal the call ends soon, with any outcome or a rejection.
 */
export abstract class CodeRunner {
  abstract run(call: CodeCall, signal: AbortSignal): Promise<CodeOutcome>;
}
