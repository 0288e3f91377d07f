import { Logger } from '@nestjs/common';
import type { JobQueue, RunJob } from '@millrace/domain';

/** How long callers wait for the queue. The class is also the token of this setting. */
export abstract class EnqueuePatience {
  /** How long a call waits for the queue. */
  abstract readonly deadlineMs: number;
  /** How long no call waits for the queue after a failure. */
  abstract readonly pauseMs: number;
}

export const ENQUEUE_PATIENCE: EnqueuePatience = { deadlineMs: 1_000, pauseMs: 2_000 };

/**
 * Enqueues jobs and never rejects: their runs are committed already, and the rescuer enqueues the jobs that the queue
 * did not take. While the queue is away, calls return at once and at most one of them tries the queue in the
 * background. Otherwise every call would take the whole deadline, and the queue's client would pile up jobs that it
 * cannot send.
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
    if (performance.now() >= this.pausedUntil) await this.attempt(jobs);
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
      if (performance.now() >= this.pausedUntil) {
        this.logger.warn(`The queue did not take the jobs; the rescuer will enqueue them: ${String(error)}`);
      }
      this.pausedUntil = performance.now() + this.patience.pauseMs;
    } finally {
      clearTimeout(timer);
    }
  }
}
