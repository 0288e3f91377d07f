import type { FlowRunStatus } from '../run-status';
import type { RunResponse } from '../journal/step-effects';

/** What there is to say to who waits for a run. */
export interface RunAnswer {
  status: FlowRunStatus;
  /** The first response on record; null when there is none. */
  response: RunResponse | null;
}

/** Responses of runs, for those who wait for them. */
export abstract class RunAnswers {
  /** By run id; unknown runs are absent. */
  abstract read(runIds: readonly string[]): Promise<ReadonlyMap<string, RunAnswer>>;
  /** Those of these runs that have ended: the cheap question, to be asked again and again. */
  abstract ended(runIds: readonly string[]): Promise<string[]>;
}
