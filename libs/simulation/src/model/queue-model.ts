import { JOB_ATTEMPTS, JOB_BACKOFF_MS, JobQueue, type JobLiveness, type RunJob } from '@millrace/domain';
import type { DeliveredJob } from '@millrace/runner';
import type { Schedule } from '../schedule/schedule';

/** What may happen to jobs until `endsAt`, in virtual milliseconds. */
export interface QueueFaults {
  endsAt: number;
  latencyMs: number;
  /** Probabilities for each job that is enqueued: */
  jobLost: number;
  jobDelivedTwice: number;
}

/** Takes a job and calls `onEnded` at its end with whether it succeeded. A taker that dies never calls it. */
export interface JobTaker {
  take(job: DeliveredJob, onEnded: (succeeded: boolean) => void): void;
}

interface QueuedJob {
  job: RunJob;
  state: 'waiting' | 'active' | 'delayed' | 'completed' | 'failed';
  holder: JobTaker | null;
  /** The number of the last delivery. A taker with an older delivery has lost the job. */
  delivery: number;
  attemptsMade: number;
  attemptsStarted: number;
  stalledCounter: number;
}

const NOBODY_FREE_MS = 500;
/** How long a worker's lock on a job lasts, and how often the queue looks for expired locks. */
const LOCK_MS = 15_000;
const LOOKS_EVERY_MS = 2_000;

/**
 * The model of a queue with every fault: it delivers jobs late, twice, out of order or never, and sometimes loses all.
 */
export class QueueModel extends JobQueue {
  private readonly jobs = new Map<string, QueuedJob>();

  private jobCount = 0;

  constructor(
    private readonly schedule: Schedule,
    private readonly faults: QueueFaults,
    private readonly freeTaker: () => JobTaker | null,
  ) {
    super();
  }

  readonly newJobId = (): string => `job-${++this.jobCount}`;

  override async enqueue(jobs: readonly RunJob[]): Promise<void> {
    for (const job of jobs) {
      if (this.jobs.has(job.jobId)) continue;
      if (this.isStormy && this.schedule.random.chance(this.faults.jobLost)) {
        this.schedule.note(() => `the queue loses the job of ${runsOf(job)}`);
        if (this.schedule.random.chance(0.5)) throw new Error('The job queue is away.');
        continue;
      }
      const fresh = { delivery: 0, attemptsMade: 0, attemptsStarted: 0, stalledCounter: 0 };
      const queued: QueuedJob = { job, state: 'waiting', holder: null, ...fresh };
      this.jobs.set(job.jobId, queued);
      this.deliverSoon(queued);
      if (this.isStormy && this.schedule.random.chance(this.faults.jobDelivedTwice)) this.deliverAgain(queued);
    }
  }

  override async replace(jobs: readonly RunJob[]): Promise<void> {
    for (const { jobId } of jobs) if (!this.isLive(jobId)) this.jobs.delete(jobId);
    await this.enqueue(jobs);
  }

  override async liveness(jobIds: readonly string[]): Promise<JobLiveness[]> {
    return jobIds.map((id) => (this.isLive(id) ? 'live' : 'gone'));
  }

  /** Loses all jobs, as a queue does whose store lost its data. */
  lose(): void {
    this.schedule.note(() => 'the queue is emptied');
    this.jobs.clear();
  }

  /** Delivers the jobs of a worker to others after their locks expire, because it is dead or asleep for too long. */
  lostSightOf(taker: JobTaker): void {
    for (const queued of this.jobs.values()) {
      if (queued.state !== 'active' || queued.holder !== taker) continue;
      const { delivery } = queued;
      this.schedule.time.after(LOCK_MS + this.schedule.random.between(0, LOOKS_EVERY_MS), null, () => {
        if (queued.state !== 'active' || queued.delivery !== delivery) return;
        queued.stalledCounter++;
        queued.delivery++;
        this.deliverSoon(queued);
      });
    }
  }

  private get isStormy(): boolean {
    return this.schedule.time.elapsed < this.faults.endsAt;
  }

  private isLive(jobId: string): boolean {
    const state = this.jobs.get(jobId)?.state;
    return state === 'waiting' || state === 'active' || state === 'delayed';
  }

  private deliverSoon(queued: QueuedJob, ms = this.schedule.random.between(0, this.faults.latencyMs)): void {
    queued.state = 'waiting';
    this.schedule.time.after(ms, null, () => this.deliver(queued));
  }

  private deliver(queued: QueuedJob): void {
    if (this.jobs.get(queued.job.jobId) !== queued || !this.isLive(queued.job.jobId)) return;
    const taker = this.freeTaker();
    if (!taker) return this.deliverSoon(queued, NOBODY_FREE_MS);
    queued.state = 'active';
    queued.holder = taker;
    queued.attemptsStarted++;
    const delivery = ++queued.delivery;
    taker.take(this.jobOf(queued), (succeeded) => {
      if (queued.delivery === delivery) this.ended(queued, succeeded);
    });
  }

  /** Delivers a second copy of the job, as a queue with at-least-once delivery may do. */
  private deliverAgain(queued: QueuedJob): void {
    const copy = { ...queued };
    this.schedule.time.after(this.schedule.random.between(0, 4_000), null, () =>
      this.freeTaker()?.take(this.jobOf(copy), () => undefined),
    );
  }

  private ended(queued: QueuedJob, succeeded: boolean): void {
    queued.attemptsMade++;
    if (succeeded || queued.attemptsMade >= JOB_ATTEMPTS) {
      queued.state = succeeded ? 'completed' : 'failed';
      return;
    }
    this.deliverSoon(queued, JOB_BACKOFF_MS * 2 ** (queued.attemptsMade - 1));
    queued.state = 'delayed';
  }

  private jobOf({ job, attemptsMade, attemptsStarted, stalledCounter }: QueuedJob): DeliveredJob {
    return {
      data: { runs: job.runs },
      attemptsMade,
      attemptsStarted,
      stalledCounter,
      opts: { attempts: JOB_ATTEMPTS },
    };
  }
}

const runsOf = ({ runs }: RunJob): string => runs.map(({ runId }) => runId).join(', ');
