import { JOB_ATTEMPTS, JOB_BACKOFF_MS } from '../jobs/job-policy';
import { JobQueue, type JobLiveness, type RunJob } from '../jobs/job-queue';

type JobState = 'waiting' | 'active' | 'delayed' | 'completed' | 'failed';

interface QueuedJob {
  job: RunJob;
  order: number;
  state: JobState;
  attempts: number;
}

export type JobEnding = 'completed' | 'failed';
export type RunJobProcessor = (job: RunJob) => Promise<void>;

/** The twin of the real queue for tests. It executes one job at a time in one process and stores nothing durably. */
export class InMemoryJobQueue extends JobQueue {
  private readonly jobs = new Map<string, QueuedJob>();
  private readonly backoffTimers = new Set<NodeJS.Timeout>();
  private added = 0;
  private work: { process: RunJobProcessor; onEnded: (jobId: string, ending: JobEnding) => void } | null = null;
  private working = false;
  private unavailable: Error | null = null;

  constructor(private readonly backoffMs: number = JOB_BACKOFF_MS) {
    super();
  }

  async enqueue(jobs: readonly RunJob[]): Promise<void> {
    this.refuseWhenUnavailable();
    for (const job of jobs) {
      if (!this.jobs.has(job.jobId))
        this.jobs.set(job.jobId, { job, order: this.added++, state: 'waiting', attempts: 0 });
    }
    this.wake();
  }

  async replace(jobs: readonly RunJob[]): Promise<void> {
    this.refuseWhenUnavailable();
    for (const { jobId } of jobs) {
      if (!this.isLive(jobId)) this.jobs.delete(jobId);
    }
    await this.enqueue(jobs);
  }

  async liveness(jobIds: readonly string[]): Promise<JobLiveness[]> {
    this.refuseWhenUnavailable();
    return jobIds.map((id) => (this.isLive(id) ? 'live' : 'gone'));
  }

  /** The jobs that wait for a worker, in the order of their execution. */
  waiting(): RunJob[] {
    return [...this.jobs.values()]
      .filter(({ state }) => state === 'waiting')
      .sort(
        ({ job: a, order: first }, { job: b, order: second }) =>
          (a.leastLevel ?? 0) - (b.leastLevel ?? 0) || a.priority - b.priority || first - second,
      )
      .map(({ job }) => job);
  }

  startWorker(process: RunJobProcessor, onEnded: (jobId: string, ending: JobEnding) => void = () => undefined): void {
    this.work = { process, onEnded };
    this.wake();
  }

  stopWorker(): void {
    this.work = null;
    this.backoffTimers.forEach(clearTimeout);
    this.backoffTimers.clear();
  }

  /** Refuses every call until `recover`, as when Redis is away. */
  fail(error = new Error('The job queue is away.')): void {
    this.unavailable = error;
  }

  recover(): void {
    this.unavailable = null;
  }

  /** Forgets all jobs, like a store that lost its data. */
  lose(): void {
    this.jobs.clear();
  }

  private refuseWhenUnavailable(): void {
    if (this.unavailable) throw this.unavailable;
  }

  private isLive(jobId: string): boolean {
    const state = this.jobs.get(jobId)?.state;
    return state !== undefined && state !== 'completed' && state !== 'failed';
  }

  private wake(): void {
    if (!this.work || this.working) return;
    this.working = true;
    queueMicrotask(() => void this.workUntilEmpty());
  }

  private async workUntilEmpty(): Promise<void> {
    for (let next = this.next(); next && this.work; next = this.next()) await this.attempt(next, this.work);
    this.working = false;
  }

  private next(): QueuedJob | undefined {
    const [job] = this.waiting();
    return job && this.jobs.get(job.jobId);
  }

  private async attempt(queued: QueuedJob, { process, onEnded }: NonNullable<typeof this.work>): Promise<void> {
    queued.state = 'active';
    queued.attempts++;
    const succeeded = await process(queued.job).then(
      () => true,
      () => false,
    );
    if (!succeeded && queued.attempts < JOB_ATTEMPTS) return this.delay(queued);
    queued.state = succeeded ? 'completed' : 'failed';
    onEnded(queued.job.jobId, queued.state);
  }

  private delay(queued: QueuedJob): void {
    queued.state = 'delayed';
    const timer = setTimeout(
      () => {
        this.backoffTimers.delete(timer);
        queued.state = 'waiting';
        this.wake();
      },
      this.backoffMs * 2 ** (queued.attempts - 1),
    );
    this.backoffTimers.add(timer);
  }
}
