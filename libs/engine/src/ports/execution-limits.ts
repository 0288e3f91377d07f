/** What one run may use. Over one of these, the step that would go over it is FAILED, and the run with it. */
export interface ExecutionLimits {
  stepsPerRun: number;
  iterationsPerLoop: number;
  /** Loops and routers around each other. */
  nestedContainers: number;
  /** The wait before the second attempt of a step that retries; it doubles with each attempt. */
  retryBaseMs: number;
  /** Of one step, in bytes of JSON text. */
  outputBytes: number;
  /** Of all steps of a run: inputs, outputs and logs, in bytes of JSON text. */
  storageBytes: number;
  /** An output over it is kept outside the journal, where there is a place for that. */
  inlineOutputBytes: number;
  /** Of outputs kept outside, for the input of one step. */
  bytesReadAtOnce: number;
}

export const DEFAULT_EXECUTION_LIMITS: ExecutionLimits = {
  stepsPerRun: 100_000,
  iterationsPerLoop: 10_000,
  nestedContainers: 100,
  retryBaseMs: 2_000,
  outputBytes: 10 * 1024 * 1024,
  storageBytes: 100 * 1024 * 1024,
  inlineOutputBytes: 1024 * 1024,
  bytesReadAtOnce: 50 * 1024 * 1024,
};
