import type { ExecuteFlowJob } from './job-kinds';
import type { JobPriority } from './job-policy';

/** The runs that one job carries. Each run ends by its own compare-and-set in its row, whatever happens to the job. */
export interface RunJob {
  /** The unique id of the job. Adding a job whose id the queue still knows changes nothing. */
  jobId: string;
  priority: JobPriority;
  /** The level of backlog at which the job stands at least, however small the backlogs of its projects are. */
  leastLevel?: number;
  runs: readonly ExecuteFlowJob[];
}

/** `gone` means that the queue does not know the job, has finished it, or gave it up after its last attempt. */
export type JobLiveness = 'live' | 'gone';

// The queue delivers at least once and may lose jobs: the rows in PostgreSQL are the truth, and the rescuer enqueues
// lost runs again.
export abstract class JobQueue {
  /** Resolves when the queue has the jobs; rejects when the queue has not taken them within its deadline. */
  abstract enqueue(jobs: readonly RunJob[]): Promise<void>;
  /**
   * Enqueues the jobs. A finished or failed job of the same id is removed first, so that the new job is not ignored.
   */
  abstract replace(jobs: readonly RunJob[]): Promise<void>;
  /** Whether the queue still has each job to execute, or executes it now; in the order of `jobIds`. */
  abstract liveness(jobIds: readonly string[]): Promise<JobLiveness[]>;
}
