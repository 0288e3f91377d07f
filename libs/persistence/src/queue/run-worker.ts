import { Outage, type RunRoom } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import type { Job, JobJson, Processor, WorkerOptions } from 'bullmq';
import type { ClaimedRuns } from './claimed-runs';
import type { RunJobData } from './bullmq-job-queue';
import { FetchPlan } from './fetch-plan';
import { ListenedWorker } from './listened-queue';

export interface RunWorkerOptions extends WorkerOptions {
  /** Jobs are fetched as far as there is room for their runs, in place of up to `concurrency` jobs. */
  room?: RunRoom;
  /** Where the queue is in the database of the runs, a claim loads the runs of its job. */
  claimedRuns?: ClaimedRuns;
}

/** As many jobs at once as there is room for. */
const WHILE_THERE_IS_ROOM = Number.MAX_SAFE_INTEGER;
/** Who has no job in hand takes one in any case. */
const ONE_AT_LEAST = 1;
/** How often a worker without room looks at what is first in the queue. */
const LOOKS_EVERY_MS = 200;

const LOGGER = new Logger('QueueWorker');

type RunsOfJob = Job<RunJobData>;

// BullMQ's worker bounds the jobs in its hands; this one bounds the runs that it could not begin.
//
// W1. BullMQ asks before each fetch whether it has fewer jobs than its concurrency: that is set here, each time before.
// W2. A job whose runs wait without slots does not keep others from being fetched.
// W3. Without room, what is first in the queue is fetched all the same if its project has its turn here.
export class RunWorker extends ListenedWorker {
  private readonly plan: FetchPlan | null;
  private readonly outage = new Outage('What is first in the queue', (message, cause) => LOGGER.warn(message, cause));
  private readonly looking: NodeJS.Timeout | null;

  constructor(name: string, processor: string | URL | null | Processor, { room, ...options }: RunWorkerOptions) {
    super(name, processor, options);
    this.plan = room ? new FetchPlan(room) : null;
    this.looking = room ? setInterval(() => void this.lookAhead(), LOOKS_EVERY_MS) : null;
    room?.onFree(() => this.fetchMore());
    this.adapt();
  }

  override async processJob(job: RunsOfJob, token: string, mayFetch = () => true): Promise<void | Job> {
    let asked = false;
    try {
      return await super.processJob(job, token, () => {
        this.adapt();
        const fetches = mayFetch();
        if (fetches && !asked) this.plan?.asked();
        asked ||= fetches;
        return fetches;
      });
    } finally {
      if (asked) this.plan?.answered();
      this.adapt();
    }
  }

  override async close(force = false): Promise<void> {
    if (this.looking) clearInterval(this.looking);
    await super.close(force);
  }

  protected override async moveToActive(token: string, name?: string): Promise<Job> {
    this.plan?.asked();
    try {
      return await super.moveToActive(token, name);
    } finally {
      this.plan?.answered();
      this.adapt();
    }
  }

  protected override async nextJobFromJobData(data?: JobJson, jobId?: string, token?: string): Promise<Job> {
    const job: RunsOfJob | undefined = await super.nextJobFromJobData(data, jobId, token);
    if (job) this.plan?.came(job.data.runs.length);
    this.adapt();
    return job as Job;
  }

  /** The processor has its runs take their slots, or wait for them, before it returns. */
  protected override callProcessJob(job: RunsOfJob, token: string, signal?: AbortSignal): Promise<unknown> {
    const done = super.callProcessJob(job, token, signal);
    this.plan?.handedOver(job.data.runs.length);
    this.adapt();
    return done;
  }

  private adapt(): void {
    if (this.plan) this.concurrency = this.plan.wantsMore ? WHILE_THERE_IS_ROOM : ONE_AT_LEAST;
  }

  private fetchMore(): void {
    if (!this.plan?.wantsMore || this.concurrency === WHILE_THERE_IS_ROOM) return;
    this.adapt();
    this.wake();
  }

  /** BullMQ's loop sleeps until a job ends, and a slot may be free before. It wakes the loop in this way itself, in `resume`. */
  private wake(): void {
    const loop = (this as unknown as { mainLoopQueue: { add(nothing: Promise<void>): void } | null }).mainLoopQueue;
    loop?.add(Promise.resolve());
  }

  private async lookAhead(): Promise<void> {
    if (!this.plan || this.plan.wantsMore || this.closing || this.paused) return;
    const first = await this.lookAtFirst();
    if (!first || !this.plan.makeException(first.runs.map(({ projectId }) => projectId))) return;
    this.fetchMore();
  }

  /** The next look may find out what this one could not. */
  private async lookAtFirst(): Promise<RunJobData | null> {
    try {
      const first = await this.firstInLine();
      this.outage.succeeded();
      return first;
    } catch (error) {
      this.outage.failed(error);
      return null;
    }
  }

  private async firstInLine(): Promise<RunJobData | null> {
    const [ids] = await this.backend.getRanges(['prioritized'], 0, 0, true);
    const [id] = ids ?? [];
    const job = id === undefined ? undefined : await this.backend.getJobData(id);
    return job ? (JSON.parse(job.data) as RunJobData) : null;
  }
}
