// What one process tells the others about runs, at once and without a promise: who listens must also ask now and then.

export interface RunListener {
  /** These runs were ended from outside: whoever executes them stops. Null: some may have been, while nobody listened. */
  stopped?(runIds: readonly string[] | null): void;
  /** Somebody's awaited run has a response, or has ended. Null: as above. */
  answered?(runId: string | null): void;
}

export abstract class RunNotices {
  /** For as long as the process lives. */
  abstract listen(listener: RunListener): void;
  abstract announceAnswered(runId: string): Promise<void>;
}
