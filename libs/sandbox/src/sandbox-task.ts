/** One step to run: a script, its input, and where in the world it runs. */
export interface SandboxTask {
  /** Whose code this is. Prepared interpreters are never shared between tenants: top-level code of a bundle is guest code. */
  tenant: string;
  /** Content hash of `script`: one hash always stands for one text. */
  scriptHash: string;
  /**
   * Exactly one function expression, without anything around it. It is called with the parsed input; a promise it
   * gives is awaited. When it is `makeStep` of a bundle (see `CodeBundler`), its result is the function to call.
   */
  script: string;
  /** Source map of the script, so that a failure names the author's line. */
  sourceMap?: string;
  /** JSON text, parsed inside the guest. */
  input: string;
  /** The frozen global `run` of this step. */
  run?: RunIdentity;
  /** Called with true when the step falls asleep, and with false when it goes on or ends. The calls come in pairs. */
  onSleep?: (asleep: boolean) => void;
}

export interface RunIdentity {
  id: string;
  flowId: string;
  projectId: string;
  stepKey: string;
}

/** How a script begins whose function has to be called once, before any step, to make the step. */
export const STEP_MAKER = 'function makeStep() {';

/** The name of a script in the guest's stacks. Its text begins on their second line. */
export const SCRIPT_FILE = 'step.js';
