import { Outage, type RunRoom } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import type { Job, JobJson, Processor, WorkerOptions } from 'bullmq';
import { logOutages } from '../log-outages';
import type { ClaimedRuns } from './claimed-runs';
import type { RunJobData } from './run-queue';
import { FetchPlan } from './fetch-plan';
import { ListenedWorker } from './listened-queue';

export interface RunWorkerOptions extends WorkerOptions {
  /** With a room, the worker fetches jobs while there is room for their runs; `concurrency` is not used then. */
  room?: RunRoom;
  /** Where a claim keeps the runs of its job when the queue is in the database of the runs. */
  claimedRuns?: ClaimedRuns;
}

/** The concurrency while there is room for more runs. */
const WHILE_THERE_IS_ROOM = Number.MAX_SAFE_INTEGER;
/** The concurrency without room: a worker that has no job fetches one in any case. */
const ONE_AT_LEAST = 1;
/** How often a worker without room looks at the first job in the queue. */
const LOOKS_EVERY_MS = 200;

const LOGGER = new Logger('QueueWorker');

type RunsOfJob = Job<RunJobData>;

// BullMQ's worker bounds the jobs that it executes at once. This worker bounds the runs that wait in it for a slot.
//
// W1. BullMQ fetches a job only while it has fewer jobs than its concurrency. This worker sets the concurrency before
//     each of these checks.
// W2. A job whose runs wait for slots does not keep other jobs from being fetched.
// W3. Without room, the first job in the queue is fetched nevertheless when it is its project's turn in this worker, and
//     the next one is looked at right after it.
export class RunWorker extends ListenedWorker {
  private readonly plan: FetchPlan | null;
  private readonly outage = new Outage('The first job in the queue', logOutages(LOGGER));
  private readonly looking: NodeJS.Timeout | null;
  private isFetchDue = false;
  private isLookUnderWay = false;

  constructor(name: string, processor: string | URL | null | Processor, { room, ...options }: RunWorkerOptions) {
    super(name, processor, options);
    this.plan = room ? new FetchPlan(room) : null;
    this.looking = room ? setInterval(() => void this.lookAhead(), LOOKS_EVERY_MS) : null;
    room?.onMoreRoom(() => this.fetchSoon());
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

  /** The processor lets the runs take their slots, or wait for them, before its call returns a promise. */
  protected override callProcessJob(job: RunsOfJob, token: string, signal?: AbortSignal): Promise<unknown> {
    const done = super.callProcessJob(job, token, signal);
    const mayDeserveAnother = this.plan?.handedOver(job.data.runs.length);
    this.adapt();
    if (mayDeserveAnother) void this.lookAhead();
    return done;
  }

  private adapt(): void {
    if (this.plan) this.concurrency = this.plan.wantsMore ? WHILE_THERE_IS_ROOM : ONE_AT_LEAST;
  }

  /** Waits for the end of this turn: when the run that made room was the last of its job, the job's end fetches. */
  private fetchSoon(): void {
    if (this.isFetchDue || this.concurrency === WHILE_THERE_IS_ROOM) return;
    this.isFetchDue = true;
    setImmediate(() => {
      this.isFetchDue = false;
      this.fetchMore();
    });
  }

  private fetchMore(): void {
    if (this.concurrency === WHILE_THERE_IS_ROOM || !this.plan?.wantsMore) return;
    this.adapt();
    this.wake();
  }

  /**
   * BullMQ's loop sleeps until a job ends, but there may be room earlier, when a run gives its slot up and keeps its
   * job. BullMQ's own `resume` wakes the loop like this.
   */
  private wake(): void {
    const loop = (this as unknown as { mainLoopQueue: { add(nothing: Promise<void>): void } | null }).mainLoopQueue;
    loop?.add(Promise.resolve());
  }

  private async lookAhead(): Promise<void> {
    if (!this.plan || this.plan.wantsMore || this.closing || this.paused || this.isLookUnderWay) return;
    this.isLookUnderWay = true; // commands would pile up for as long as the store is silent
    const first = await this.lookAtFirst();
    this.isLookUnderWay = false;
    if (!first || !this.plan.makeException(first.runs.map(({ projectId }) => projectId))) return;
    this.fetchMore();
  }

  /** Returns null when the queue cannot be read. The next look tries again. */
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
