import type { AwaitedRun, RunEvents } from '../runs/run-events';
import type { RunAnswer } from '../runs/run-answers';
import type { ControlledRun } from './control-decisions';

/** A run that flow control has ended, with what its sender and its parent are to hear. */
export interface EndedByControl {
  run: AwaitedRun;
  answer: RunAnswer;
}

// Keeps the limits of flows. A worker asks before it executes a run of a flow that has control, and only then.
//
// F1. Every decision is durable before it is told, so limits hold whatever happens to workers.
// F2. A run that is not admitted needs nothing more from its worker. When its turn comes, it gets a new job.
// F3. A worker that dies, or a run that is ended from outside, leaves its place to a duty, which notices within seconds.

export abstract class FlowControl {
  /** Decides whether a delivered run may execute. Otherwise it waits, or has ended. */
  abstract admit(run: ControlledRun): Promise<{ isAdmitted: boolean; ended: readonly EndedByControl[] }>;
  /** A run has left its worker. `epoch` is that of the worker's claim. Runs that waited for its place get jobs. */
  abstract leave(
    run: { runId: string; flowId: string; epoch: number },
    how: 'ended' | 'paused',
  ): Promise<readonly EndedByControl[]>;
  /** Reviews at most `limit` runs whose time has come. Resolves with their number. */
  abstract reviewDue(limit: number): Promise<{ reviewed: number; ended: readonly EndedByControl[] }>;
  /**
   * Finds admitted and paused runs that have ended or paused unnoticed, and reviews them. A call looks at a page of at
   * most `limit` runs after the cursor. The cursor is null after the last page.
   */
  abstract reviewHolders(
    afterId: string | null,
    limit: number,
  ): Promise<{ nextAfterId: string | null; ended: readonly EndedByControl[] }>;
  /** Deletes at most `limit` starts and keys that no decision needs any more. Resolves with their number. */
  abstract forget(limit: number): Promise<number>;
}

/** Publishes the ends of these runs to all who wait for them or watch them. */
export async function announceEnded(events: RunEvents, ended: readonly EndedByControl[]): Promise<void> {
  for (const { run, answer } of ended) {
    const { id, projectId } = run;
    if (events.live.isWatched) events.live.runChanged({ id, projectId, status: answer.status });
    await events.ended(run, answer);
  }
}
