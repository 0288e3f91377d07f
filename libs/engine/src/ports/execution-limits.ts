/** What one run may use. A step that would go over one of these limits is FAILED. */
export interface ExecutionLimits {
  stepsPerRun: number;
  iterationsPerLoop: number;
  /** Most loops and routers inside each other. */
  nestedContainers: number;
  /** The back-off before the second attempt of a step that retries, in ms. It doubles with each attempt. */
  retryBaseMs: number;
  /** Most bytes of one output, as JSON text. */
  outputBytes: number;
  /** Most bytes of the inputs, outputs and logs of all steps of a run, as JSON text. */
  storageBytes: number;
  /** An output with more bytes than this is offloaded, when the ports have `largeOutputs`. */
  inlineOutputBytes: number;
  /** Most bytes of offloaded outputs that one step may read for its input. */
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
