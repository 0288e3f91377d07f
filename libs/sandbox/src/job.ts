import type { SandboxOutcome } from './sandbox-failure';
import type { SandboxTask } from './sandbox-task';
import type { SandboxThread } from './sandbox-thread';
import type { FellAsleep } from './thread-protocol';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A task that was accepted and has not ended. */
export class Job {
  /** Where it is while a thread has it. A sleeping step may have a place or none. */
  place?: { thread: SandboxThread; slot: number };
  /** Since when nobody wants its answer. */
  unwantedSince?: number;
  /** Since when it waits for a thread. */
  waitsSince = 0;
  /** Threads that died with it in hand, for no reason known. */
  deaths = 0;
  /** How often it was ended to be begun again, because others waited for its thread. */
  preemptions = 0;
  /** How many of its sleeps are over, and the CPU time of the tries that gave their interpreter up. */
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

  /** Only the first ending counts. */
  settle(outcome: SandboxOutcome): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.rise();
    this.end(outcome);
  }

  fallAsleep({ forMs, sleepsOver, usedMs }: FellAsleep, isOver: () => void): void {
    if (this.hasEnded) return;
    this.sleepsOver = sleepsOver;
    this.usedMs = usedMs;
    this.alarm = setTimeout(
      () => {
        this.rise();
        isOver();
      },
      Math.min(Math.ceil(forMs), LONGEST_TIMER_MS),
    );
    this.task.onSleep?.(true);
  }

  private rise(): void {
    if (!this.isAsleep) return;
    clearTimeout(this.alarm);
    this.alarm = undefined;
    this.task.onSleep?.(false);
  }
}

/** Stands in the slot of a step whose job went elsewhere, until the thread has let go of it. */
export function ghostOf(job: Job): Job {
  const ghost = new Job(job.task, () => undefined);
  ghost.settle({ kind: 'failure', failure: { kind: 'aborted', message: '' }, logs: [], cpuMs: 0 });
  ghost.place = job.place;
  return ghost;
}
