import type { JsonText, RecordedStep, RunPayload, WaitEnding } from '@millrace/domain';

/** The run that the caller gives to the engine. */
export interface RunToWalk {
  id: string;
  flowId: string;
  flowVersionId?: string;
  projectId: string;
  triggerOutput: RunPayload;
  /**
   * The records of earlier claims of this run. A retry begins with the records that it takes over from the retried run.
   */
  recorded: readonly RecordedStep[];
  /** When the run began; it begins now when this is absent. */
  startTime?: Date | null;
  /** How the waits of the run ended, by request id. Waits that have not ended are absent. */
  waitEndings?: ReadonlyMap<string, WaitEnding>;
  /** How many ancestors the run has: 0, or absent, for a run that no other run started. */
  depth?: number;
  /** The step to test. When it is present, no other step is executed. */
  only?: StepTest;
}

export interface StepTest {
  stepName: string;
  /** The outputs that stand for the other steps and for the loops around the step, by their names. */
  samples: ReadonlyMap<string, JsonText>;
}
