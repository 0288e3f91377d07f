import { JobQueue, type JobLiveness, type RunJob } from '@millrace/domain';
import type { OpenJobQueue } from './open-job-queue';

/** The job queue, opened when it is first asked. What could not be opened is tried again by who asks next. */
export class LazyJobQueue extends JobQueue {
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

  /** Closes what was opened; why it could not be opened was told to who asked. */
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
