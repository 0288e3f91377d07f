/** A run that has not ended, as the rescuer sees it. */
export interface UnfinishedRun {
  id: string;
  projectId: string;
  flowVersionId: string;
  /** The queue job that carries the run. */
  jobId: string;
  leaseUntil: Date | null;
}

/** The runs that have not ended, for the periodic duties. Ages and times are by the clock of the store. */
export abstract class UnfinishedRuns {
  /**
   * RUNNING runs that were created more than `ageMs` ago, that no live lease protects and that do not wait by the
   * rules of their flow, oldest first, after the cursor id. Without a cursor a call continues where the last one ended,
   * and begins again after the youngest run. A page may be short because the time for it was over.
   */
  abstract findUnfinished(ageMs: number, afterId: string | null, limit: number): Promise<UnfinishedRun[]>;
  /**
   * RUNNING runs that have used more than `timeMs` of their time. A call continues where the last one ended. Runs with
   * a locked row are left out.
   */
  abstract findOverdue(timeMs: number, limit: number): Promise<UnfinishedRun[]>;
  /** Notes the job that will carry the runs, before this job is enqueued. */
  abstract assignJob(runIds: readonly string[], jobId: string): Promise<void>;
  /**
   * Notes many jobs in one statement, as assignJob does. Resolves with the runs whose job is noted: runs that have
   * ended or whose row is locked are left out.
   */
  abstract assignJobs(jobs: readonly { runIds: readonly string[]; jobId: string }[]): Promise<ReadonlySet<string>>;
}
