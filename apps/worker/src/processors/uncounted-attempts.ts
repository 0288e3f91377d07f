import { JOB_ATTEMPTS, ServiceUnavailableError } from '@millrace/domain';
import { isStatementTimeout, nameDatabaseError } from '@millrace/persistence';
import type { FreezeWatch } from './freeze-watch';

/** In a row, in this worker: as many as three jobs have. */
export const MOST_TOO_SLOW = 3 * JOB_ATTEMPTS;
/** More runs are not remembered. */
const MOST_RUNS = 1_000;

/**
 * `counts`: as an attempt of the run. `away`: nobody was there to serve it. `uncounted`: it was this worker, or some other
 * chance. `ends`: the run is to end, since there is no use in a further one.
 */
export type AttemptVerdict = 'counts' | 'away' | 'uncounted' | 'ends';

export interface UncountedAttemptsPorts {
  freezes: Pick<FreezeWatch, 'wasFrozenSince'>;
  /** Whether the store answers for the run's row. */
  isAnsweredFor: (runId: string) => Promise<boolean>;
}

// Which attempts that failed say nothing about their run.
//
// U1. In which this worker stood still, or its stores were away: they would end every run in hand.
// U2. A store that gave up a statement for its time, and right after that answers for the row of the same run, was there:
//     it cannot serve this run in time. That may happen beside something else that takes long, but not again and again.
// U3. This worker forgets what it counted when it ends. So after an attempt that is not counted the run's time counts, by
//     its row: that ends it at last, whatever becomes of workers. Not while stores are away: for these it waits.
export class UncountedAttempts {
  private readonly tooSlow = new Map<string, number>();

  constructor(private readonly ports: UncountedAttemptsPorts) {}

  /** `began` as performance.now() gives it. */
  async judge(runId: string, error: unknown, began: number): Promise<AttemptVerdict> {
    if (this.ports.freezes.wasFrozenSince(began)) return 'uncounted';
    if (!(nameDatabaseError(error) instanceof ServiceUnavailableError)) return 'counts';
    if (!isStatementTimeout(error) || !(await this.ports.isAnsweredFor(runId))) return 'away';
    return this.noteTooSlow(runId) < MOST_TOO_SLOW ? 'uncounted' : 'ends';
  }

  /** It came through. */
  forget(runId: string): void {
    this.tooSlow.delete(runId);
  }

  private noteTooSlow(runId: string): number {
    const times = (this.tooSlow.get(runId) ?? 0) + 1;
    const [oldest] = this.tooSlow.keys();
    if (times === 1 && oldest !== undefined && this.tooSlow.size >= MOST_RUNS) this.tooSlow.delete(oldest);
    this.tooSlow.set(runId, times);
    return times;
  }
}
