import { JobQueue, type QueueAdministration, type JobLiveness, type QueueCounts, type RunJob } from '@millrace/domain';
import type { JobType } from 'bullmq';
import type { QueueProbe } from './queue-probe';
import type { OpenJobQueue } from './open-job-queue';

/** A job queue that is opened by the first call. When opening fails, the call rejects and the next call tries again. */
export class LazyJobQueue extends JobQueue implements QueueAdministration, QueueProbe {
  private opening: Promise<OpenJobQueue> | null = null;

  constructor(private readonly open: () => Promise<OpenJobQueue>) {
    super();
  }

  async enqueue(jobs: readonly RunJob[]): Promise<void> {
    await (await this.opened()).jobs.enqueue(jobs);
  }

  async replace(jobs: readonly RunJob[]): Promise<void> {
    await (await this.opened()).jobs.replace(jobs);
  }

  async liveness(jobIds: readonly string[]): Promise<JobLiveness[]> {
    return (await this.opened()).jobs.liveness(jobIds);
  }

  async counts(): Promise<QueueCounts> {
    return (await this.opened()).administration.counts();
  }

  async getJobCounts(...states: JobType[]): Promise<Record<string, number>> {
    return (await this.opened()).countsOf(...states);
  }

  async answers(): Promise<boolean | string> {
    return (await this.opened()).answers();
  }

  /** Closes the queue if it was opened. A failure to open it has rejected the call that wanted it. */
  async close(): Promise<void> {
    const opened = await this.opening?.catch(() => null);
    await opened?.close();
  }

  private opened(): Promise<OpenJobQueue> {
    this.opening ??= this.open().catch((error: unknown) => {
      this.opening = null;
      throw error;
    });
    return this.opening;
  }
}
