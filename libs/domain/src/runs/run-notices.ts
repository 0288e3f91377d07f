// What one process tells the others about runs, at once and without a promise: who listens must also ask now and then.

import type { RunResponse } from './run-effects';

export interface RunListener {
  /** These runs were ended from outside: whoever executes them stops. Null: some may have been, while nobody listened. */
  stopped?(runIds: readonly string[] | null): void;
  /** Somebody's awaited run has a response, or has ended. Null: as above. */
  answered?(runId: string | null): void;
}

export abstract class RunNotices {
  /** For as long as the process lives. */
  abstract listen(listener: RunListener): void;
  /** Keeps the response, if there is one, where RunAnswers finds it without reading the run, and tells that it is there. */
  abstract announceAnswered(runId: string, response: RunResponse | null): Promise<void>;
}
