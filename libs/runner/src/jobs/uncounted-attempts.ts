import { JOB_ATTEMPTS } from '@millrace/domain';
import type { FreezeWatch } from './freeze-watch';

/** A run ends after this many slow attempts in a row in this worker: as many as three jobs have. */
export const MOST_TOO_SLOW = 3 * JOB_ATTEMPTS;
/** The worker remembers at most this many runs, and then forgets the oldest. */
const MOST_RUNS = 1_000;

/**
 * - `counts`: the attempt counts for the run.
 * - `away`: the stores did not answer.
 * - `uncounted`: the failure says nothing about the run.
 * - `ends`: the run is to end, because further attempts would fail too.
 */
export type AttemptVerdict = 'counts' | 'away' | 'uncounted' | 'ends';

/** What an error says about the stores: they were away, or one cancelled a statement for its time. */
export type StoreFailure = 'away' | 'tooSlow';

export interface UncountedAttemptsPorts {
  freezes: Pick<FreezeWatch, 'wasFrozenSince'>;
  /** Returns null for an error that is not about the stores. */
  storeFailure: (error: unknown) => StoreFailure | null;
  /** Whether the store answers for the run's row. */
  canReadRow: (runId: string) => Promise<boolean>;
}

// Decides which failed attempts say nothing about their run.
//
// U1. An attempt does not count when this worker was frozen or its stores were away: such attempts would end every run
//     in hand.
// U2. When the store cancels a statement for its time, and then answers for the row of the same run, the store cannot
//     serve this run in time. Another load on the store may cause that once, but not again and again.
// U3. A worker forgets its counts when it ends. So the time of a run counts from its first uncounted attempt on, in its
//     row, and ends the run at last, whatever happens to workers. It does not count while stores are away.
export class UncountedAttempts {
  private readonly tooSlow = new Map<string, number>();

  constructor(private readonly ports: UncountedAttemptsPorts) {}

  /** Judges a failed attempt. `began` is the value of performance.now(), in milliseconds, at its start. */
  async judge(runId: string, error: unknown, began: number): Promise<AttemptVerdict> {
    if (this.ports.freezes.wasFrozenSince(began)) return 'uncounted';
    const failure = this.ports.storeFailure(error);
    if (failure === null) return 'counts';
    if (failure === 'away' || !(await this.ports.canReadRow(runId))) return 'away';
    return this.noteTooSlow(runId) < MOST_TOO_SLOW ? 'uncounted' : 'ends';
  }

  /** Forgets the failed attempts of a run, after an attempt that succeeded. */
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
