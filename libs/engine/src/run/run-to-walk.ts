import type { JsonText, RecordedStep, RunPayload, WaitEnding } from '@millrace/domain';

/** A run as the engine is given it. */
export interface RunToWalk {
  id: string;
  flowId: string;
  projectId: string;
  triggerOutput: RunPayload;
  /** What earlier claims of this run recorded, or, for a retry, what is kept of the retried run. */
  recorded: readonly RecordedStep[];
  /** How waits of its paused steps ended, by request id; those that have not ended are absent. */
  waitEndings?: ReadonlyMap<string, WaitEnding>;
  /** How many runs are above it. */
  depth?: number;
  /** Test of one step: nothing else is executed. */
  only?: StepTest;
}

export interface StepTest {
  stepName: string;
  /** What the names of other steps mean, and of loops around the step. */
  samples: ReadonlyMap<string, JsonText>;
}
