import { Logger } from '@nestjs/common';
import type { JobQueue, RunJob } from '@millrace/domain';

export interface EnqueuePatience {
  /** Longest an acknowledgement waits for the queue. */
  deadlineMs: number;
  /** After a failure nobody waits for the queue for so long. */
  pauseMs: number;
}

export const ENQUEUE_PATIENCE: EnqueuePatience = { deadlineMs: 1_000, pauseMs: 2_000 };

/**
 * Brings jobs to the queue, and never fails: the runs are committed already, and the rescuer enqueues what the queue
 * did not take. While the queue is away nobody waits for it, and only one attempt at a time asks whether it is back;
 * else every acknowledgement would take the deadline, and the queue's client would hoard what it cannot send.
 */
export class BestEffortEnqueue {
  private readonly logger = new Logger(BestEffortEnqueue.name);
  private pausedUntil = 0;
  private probing = false;

  constructor(
    private readonly queue: JobQueue,
    private readonly patience: EnqueuePatience,
  ) {}

  async enqueue(jobs: readonly RunJob[]): Promise<void> {
    if (jobs.length === 0) return;
    if (Date.now() >= this.pausedUntil) await this.attempt(jobs);
    else if (!this.probing) void this.probe(jobs);
  }

  private async probe(jobs: readonly RunJob[]): Promise<void> {
    this.probing = true;
    await this.attempt(jobs);
    this.probing = false;
  }

  private async attempt(jobs: readonly RunJob[]): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<never>((_, reject) => {
      const tooLate = () => reject(new Error(`no answer within ${this.patience.deadlineMs} ms`));
      timer = setTimeout(tooLate, this.patience.deadlineMs);
    });
    try {
      await Promise.race([this.queue.enqueue(jobs), deadline]);
      this.pausedUntil = 0;
    } catch (error) {
      if (Date.now() >= this.pausedUntil) {
        this.logger.warn(`The queue did not take the jobs; the rescuer will bring them: ${String(error)}`);
      }
      this.pausedUntil = Date.now() + this.patience.pauseMs;
    } finally {
      clearTimeout(timer);
    }
  }
}
