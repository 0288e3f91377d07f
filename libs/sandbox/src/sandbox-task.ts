/** One step to run: a script, its input, and the run to which it belongs. */
export interface SandboxTask {
  /** The owner of the code. Tenants never share a prepared image, because top-level code of a bundle has run in it. */
  tenant: string;
  /** The content hash of `script`. Equal hashes mean equal scripts. */
  scriptHash: string;
  /**
   * Exactly one function expression and no other text. The function is called with the parsed input, and a promise that
   * it returns is awaited. When it is the `makeStep` of a bundle (see `CodeBundler`), the function that it returns is
   * called instead.
   */
  script: string;
  /** The source map of the script, as JSON text. With it, a failure names the author's line. */
  sourceMap?: string;
  /** JSON text, parsed inside the guest. */
  input: string;
  /** The step sees this as its frozen global `run`. */
  run?: RunIdentity;
  /**
   * Is called with true when the step falls asleep, and with false when it continues or ends. The calls come in pairs.
   */
  onSleep?: (asleep: boolean) => void;
}

export interface RunIdentity {
  id: string;
  flowId: string;
  projectId: string;
  stepKey: string;
}

/**
 * A script that begins so is a bundle. Its function is called once, before any step, and returns the step's function.
 */
export const STEP_MAKER = 'function makeStep() {';

/** The name of a script in the stacks of the guest. The text of the script begins on line 2 there. */
export const SCRIPT_FILE = 'step.js';
