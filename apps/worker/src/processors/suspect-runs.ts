import { Logger } from '@nestjs/common';
import { JOB_ATTEMPTS, JOB_BACKOFF_MS, type ExecuteFlowJob } from '@millrace/domain';
import type { RunDelivery } from '../running/flow-runner.service';
import type { RunSlots, SuspectLane } from '../running/run-slots';

/** At a run of a job. */
export interface Attempt {
  isLastAttempt: boolean;
  /** The job carries no other run. */
  isAlone: boolean;
}

export type Execute = (run: ExecuteFlowJob, delivery: RunDelivery, attempt: Attempt) => Promise<void>;

/** More are not kept waiting: the rescuer brings them again. */
const MOST_WAITING = 1_000;

// The runs that have lost workers, on their way through the lanes.
//
// The job that brought one ends at once: its place in the queue is for other runs. While the run waits for its lane it has
// no owner, so that the rescuer offers it again, and a worker with a free lane takes it. A worker that dies meanwhile
// counts for none of those that wait.
export class SuspectRuns {
  private readonly logger = new Logger(SuspectRuns.name);
  private readonly waiting = new Set<string>();

  constructor(
    private readonly slots: RunSlots,
    private readonly execute: Execute,
  ) {}

  /** It waits here already. */
  has(runId: string): boolean {
    return this.waiting.has(runId);
  }

  /** Executes the run when the lane has room, as often as the queue would try its job. Never rejects. */
  async goOn(run: ExecuteFlowJob, lane: SuspectLane): Promise<void> {
    if (this.has(run.runId) || this.waiting.size >= MOST_WAITING) return;
    for (let attempt = 1; attempt < JOB_ATTEMPTS; attempt++) {
      if (await this.tried(run, lane, false)) return;
      this.waiting.add(run.runId);
      await pause(JOB_BACKOFF_MS * 2 ** (attempt - 1));
    }
    await this.tried(run, lane, true);
  }

  private async tried(run: ExecuteFlowJob, lane: SuspectLane, isLastAttempt: boolean): Promise<boolean> {
    this.waiting.add(run.runId);
    try {
      await this.slots.takeLane(lane, () => {
        this.waiting.delete(run.runId);
        return this.execute(run, { wasLost: true, lane }, { isLastAttempt, isAlone: true });
      });
      return true;
    } catch (error) {
      const next = isLastAttempt ? 'the rescuer brings it again' : 'it is tried again';
      this.logger.warn(`Run ${run.runId} failed in its lane, ${next}: ${String(error)}`);
      return false;
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
