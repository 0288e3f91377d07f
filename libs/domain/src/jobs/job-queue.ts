import type { ExecuteFlowJob } from './job-kinds';
import type { JobPriority } from './job-policy';

/** Runs that travel together. The ids are the truth: each run ends by its own compare-and-set, whatever happens to the job. */
export interface RunJob {
  /** Unique; adding a job whose id the queue still knows changes nothing. */
  jobId: string;
  priority: JobPriority;
  runs: readonly ExecuteFlowJob[];
}

/** `gone`: the queue does not know the job, or has finished with it, or gave it up. */
export type JobLiveness = 'live' | 'gone';

// The queue delivers at least once, and may lose everything: PostgreSQL is the truth and the rescuer puts back what is missing.
export abstract class JobQueue {
  /** Resolves when the queue has the jobs; rejects when it does not within its deadline. */
  abstract enqueue(jobs: readonly RunJob[]): Promise<void>;
  /** Removes a finished or failed job of each id first, so that the new one is not taken for a repeat. */
  abstract replace(jobs: readonly RunJob[]): Promise<void>;
  /** Whether each job will still be, or is being, worked on. In the order asked. */
  abstract liveness(jobIds: readonly string[]): Promise<JobLiveness[]>;
}
