import { Logger } from '@nestjs/common';
import { JOB_ATTEMPTS, JOB_BACKOFF_MS, type ExecuteFlowJob } from '@millrace/domain';
import pLimit, { type LimitFunction } from 'p-limit';

/**
 * The quarantine of a run that has lost workers and may be the cause. In `sharedQuarantine` a few such runs execute at
 * once, in `singleQuarantine` only one.
 */
export type QuarantineLevel = 'sharedQuarantine' | 'singleQuarantine';

const MOST_AT_ONCE: Readonly<Record<QuarantineLevel, number>> = { sharedQuarantine: 4, singleQuarantine: 1 };

export const isQuarantine = (place: string): place is QuarantineLevel => Object.hasOwn(MOST_AT_ONCE, place);

const SHARED_AFTER_DEATHS = 2;
const SINGLE_AFTER_DEATHS = 3;
/** One death in `singleQuarantine` is not enough to end the run: the worker may have been killed from outside. */
const MOST_SINGLE_DEATHS = 2;
const MOST_DEATHS = SINGLE_AFTER_DEATHS + MOST_SINGLE_DEATHS;

/** The status reason of a run that has lost too many workers. */
export const TOO_MANY_DEATHS =
  `The run was in hand when its worker ended ${MOST_DEATHS} times, ` +
  `the last ${MOST_SINGLE_DEATHS} times in quarantine on its own, and is not tried again.`;

export const hasTooManyDeaths = (workerDeaths: number): boolean => workerDeaths >= MOST_DEATHS;

/** The quarantine for a run that has lost this many workers; null means that it executes in a normal slot. */
export function quarantineAfter(workerDeaths: number): QuarantineLevel | null {
  if (workerDeaths < SHARED_AFTER_DEATHS) return null;
  return workerDeaths < SINGLE_AFTER_DEATHS ? 'sharedQuarantine' : 'singleQuarantine';
}

/** At most this many runs wait in quarantine. The rescuer enqueues the others again later. */
const MOST_WAITING = 1_000;

/** Executes the run once. Rejects because of the service's own trouble, except at the last attempt. */
export type ExecuteInQuarantine = (
  run: ExecuteFlowJob,
  level: QuarantineLevel,
  isLastAttempt: boolean,
) => Promise<void>;

// Executes runs that have lost workers, apart from all others.
//
// Q1. A run in quarantine takes no slot, so it holds back no other run.
// Q2. The job that delivered the run ends at once, and makes its place in the queue free for other runs.
// Q3. A run that waits in quarantine has no owner: the rescuer enqueues it again, and a worker with room takes it. The
//     death of a worker does not count for runs that only wait there.
export class Quarantine {
  private readonly logger = new Logger(Quarantine.name);
  private readonly waiting = new Set<string>();
  private readonly turns: Readonly<Record<QuarantineLevel, LimitFunction>> = {
    sharedQuarantine: pLimit(MOST_AT_ONCE.sharedQuarantine),
    singleQuarantine: pLimit(MOST_AT_ONCE.singleQuarantine),
  };

  constructor(private readonly executeOnce: ExecuteInQuarantine) {}

  /** Says whether the run waits here already. */
  has(runId: string): boolean {
    return this.waiting.has(runId);
  }

  /** Executes the run when its level has room, with as many attempts as a job has. Never rejects. */
  async execute(run: ExecuteFlowJob, level: QuarantineLevel): Promise<void> {
    if (this.has(run.runId) || this.waiting.size >= MOST_WAITING) return;
    for (let attempt = 1; attempt < JOB_ATTEMPTS; attempt++) {
      if (await this.tried(run, level, false)) return;
      this.waiting.add(run.runId);
      await pause(JOB_BACKOFF_MS * 2 ** (attempt - 1));
    }
    await this.tried(run, level, true);
  }

  private async tried(run: ExecuteFlowJob, level: QuarantineLevel, isLastAttempt: boolean): Promise<boolean> {
    this.waiting.add(run.runId);
    try {
      await this.turns[level](() => {
        this.waiting.delete(run.runId);
        return this.executeOnce(run, level, isLastAttempt);
      });
      return true;
    } catch (error) {
      const next = isLastAttempt ? 'the rescuer brings it again' : 'it is tried again';
      const { runId, projectId } = run;
      this.logger.warn({ msg: `Run ${runId} failed in quarantine, ${next}: ${String(error)}`, runId, projectId });
      return false;
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
