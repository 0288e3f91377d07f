/** A run that has not ended, as the rescuer sees it. */
export interface UnfinishedRun {
  id: string;
  projectId: string;
  flowVersionId: string;
  /** The queue job that carries the run. */
  jobId: string;
  leaseUntil: Date | null;
}

/** The runs that have not ended, for the duties that look after them. */
export abstract class UnfinishedRuns {
  /**
   * RUNNING runs created before `createdBefore`, oldest first, after the cursor id, that no live lease protects. Without a
   * cursor it goes on where it ended the last time, and begins again after the youngest: a page that is not full may be so
   * because the time for it was over.
   */
  abstract findUnfinished(createdBefore: Date, afterId: string | null, limit: number): Promise<UnfinishedRun[]>;
  /**
   * RUNNING runs whose time counts from before `startedBefore`; a call goes on where the last one ended. Not those whose
   * row somebody else has locked just now.
   */
  abstract findOverdue(startedBefore: Date, limit: number): Promise<UnfinishedRun[]>;
  /** Notes which job now carries the run, before that job is added. */
  abstract assignJob(runIds: readonly string[], jobId: string): Promise<void>;
  /**
   * As assignJob, for many jobs in one statement. Answers the runs for which it is noted: not those that have ended, or
   * whose row somebody else has locked just now.
   */
  abstract assignJobs(jobs: readonly { runIds: readonly string[]; jobId: string }[]): Promise<ReadonlySet<string>>;
}
