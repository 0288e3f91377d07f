import type { FlowRunStatus } from '../run-status';
import type { RunResponse } from '../journal/step-effects';

/** The answer to the sender that waits for a run. */
export interface RunAnswer {
  status: FlowRunStatus;
  /** The first response on record; null when the run has none. */
  response: RunResponse | null;
}

/** Reads the responses of runs, for the senders that wait for them. */
export abstract class RunAnswers {
  /** The answers by run id. Unknown runs are absent. */
  abstract read(runIds: readonly string[]): Promise<ReadonlyMap<string, RunAnswer>>;
  /** Which of these runs have ended. This is cheap, so it can be asked again and again. */
  abstract ended(runIds: readonly string[]): Promise<string[]>;
  /** The project of a run; null when the run is unknown. */
  abstract projectOf(runId: string): Promise<string | null>;
}
