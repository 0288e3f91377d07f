import type { SandboxOutcome } from './sandbox-failure';
import type { SandboxTask } from './sandbox-task';
import type { SandboxThread } from './sandbox-thread';
import type { FellAsleep } from './thread-protocol';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A task that the sandbox has accepted and that has not ended. */
export class Job {
  /** The thread and slot that have the job. A sleeping step has no place when its interpreter was given up. */
  place?: { thread: SandboxThread; slot: number };
  /** When the caller withdrew the job, on the clock of `monotonicMs`. Undefined while its answer is wanted. */
  unwantedSince?: number;
  /** When the job began to wait for a thread, on the clock of `performance.now`. */
  waitsSince = 0;
  /** How many threads died, for an unknown reason, while they had this job. */
  deaths = 0;
  /** How often the step was ended, to be begun again later, because other tenants waited for its thread. */
  preemptions = 0;
  /** How many sleeps of the step are over, and how much CPU time its tries have used. A new try starts with both. */
  sleepsOver = 0;
  usedMs = 0;

  private alarm: NodeJS.Timeout | undefined;
  private hasEnded = false;

  constructor(
    readonly task: SandboxTask,
    private readonly end: (outcome: SandboxOutcome) => void,
  ) {}

  get tenant(): string {
    return this.task.tenant;
  }

  get isAsleep(): boolean {
    return this.alarm !== undefined;
  }

  /** Ends the job with this outcome. Later calls change nothing. */
  settle(outcome: SandboxOutcome): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.stopSleeping();
    this.end(outcome);
  }

  fallAsleep({ forMs, sleepsOver, usedMs }: FellAsleep, isOver: () => void): void {
    if (this.hasEnded) return;
    this.sleepsOver = sleepsOver;
    this.usedMs = usedMs;
    this.alarm = setTimeout(
      () => {
        this.stopSleeping();
        isOver();
      },
      Math.min(Math.ceil(forMs), LONGEST_TIMER_MS),
    );
    this.task.onSleep?.(true);
  }

  private stopSleeping(): void {
    if (!this.isAsleep) return;
    clearTimeout(this.alarm);
    this.alarm = undefined;
    this.task.onSleep?.(false);
  }
}

/** A job that keeps the slot of a step whose job was taken from the thread, until the thread has answered. */
export function placeholderOf(job: Job): Job {
  const placeholder = new Job(job.task, () => undefined);
  placeholder.settle({ kind: 'failure', failure: { kind: 'aborted', message: '' }, logs: [], cpuMs: 0 });
  placeholder.place = job.place;
  return placeholder;
}
