// Notices about runs from one process to all others. They arrive at once or not at all, so a listener must also ask now
// and then.

import type { RunAnswer } from './run-answers';

export interface RunListener {
  /** Runs were ended from outside; their workers must stop them. Null means that notices may have been missed. */
  stopped?(runIds: readonly string[] | null): void;
  /**
   * An awaited run has a response or has ended. `answer` is null when the answer is too large for a notice. A null
   * `runId` means that notices may have been missed.
   */
  answered?(runId: string | null, answer: RunAnswer | null): void;
}

export abstract class RunNotices {
  /** Calls the listener for each notice, as long as the process lives. */
  abstract listen(listener: RunListener): void;
  /**
   * Announces that the response is on record, or that the run has ended. When the notice cannot carry the response, or
   * when the run continues, the response is stored where RunAnswers finds it without reading the run.
   */
  abstract announceAnswered(runId: string, answer: RunAnswer): Promise<void>;
}
