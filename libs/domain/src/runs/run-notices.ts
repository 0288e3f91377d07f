// What one process tells the others about runs, at once and without a promise: who listens must also ask now and then.

import type { RunAnswer } from './run-answers';

export interface RunListener {
  /** These runs were ended from outside: whoever executes them stops. Null: some may have been, while nobody listened. */
  stopped?(runIds: readonly string[] | null): void;
  /** Somebody's awaited run has a response, or has ended; with the answer itself when it is small. Null: as above. */
  answered?(runId: string | null, answer: RunAnswer | null): void;
}

export abstract class RunNotices {
  /** For as long as the process lives. */
  abstract listen(listener: RunListener): void;
  /**
   * Tells that the response is on record, or that the run has ended. A response that does not go along, or of a run that
   * goes on, is kept where RunAnswers finds it without reading the run.
   */
  abstract announceAnswered(runId: string, answer: RunAnswer): Promise<void>;
}
