import { longestSince, type Clock, type Moment } from '../clock';
import type { AwaitedRun, RunEvents } from '../runs/run-events';
import type { RunAnswer } from '../runs/run-answers';
import type { ControlledRun } from './control-decisions';
import type { ControlState } from './control-ledger';

/** A run that flow control has ended, with what its sender and its parent are to hear. */
export interface EndedByControl {
  run: AwaitedRun;
  answer: RunAnswer;
}

/** The states in which a run may end or pause unnoticed. Only an admitted run holds a place meanwhile. */
export type LeavingState = Extract<ControlState, 'admitted' | 'paused'>;

/** A run that leaves its worker. `epoch` is that of the worker's claim. */
export type LeavingRun = Omit<ControlledRun, 'demand'>;

/** The answer about a delivered run. */
export interface ControlAnswer {
  isAdmitted: boolean;
  ended: readonly EndedByControl[];
  /** When an admitted run begins: the time of the decision, by the one clock of all decisions. */
  startTime: Date;
  /** A moment before the decision, by the clocks of the process that asked. */
  askedAt: Moment;
}

/**
 * How long after a decision its run may begin. A worker that was frozen in between asks again, so that the run is counted
 * at about the time when it begins.
 */
const BEGINS_WITHIN_MS = 2_000;

export const mayBegin = ({ askedAt }: Pick<ControlAnswer, 'askedAt'>, clock: Clock): boolean =>
  longestSince(askedAt, clock) <= BEGINS_WITHIN_MS;

// Keeps the limits of flows. A worker asks before it executes a run of a flow that has control, and only then.
//
// F1. Every decision is durable before it is told, so limits hold whatever happens to workers.
// F2. The start of an admitted run is the time of the decision, so the starts on record keep the rates exactly.
// F3. A run that is not admitted needs nothing more from its worker. When its turn comes, it gets a new job.
// F4. A worker that dies, or a run that is ended from outside, leaves its place to a duty, which notices within seconds.
// F5. Decisions are made a few at once, and projects take turns, so no project waits for the many runs of another.

export abstract class FlowControl {
  /** Decides whether a delivered run may execute. Otherwise it waits, or has ended. */
  abstract admit(run: ControlledRun): Promise<ControlAnswer>;
  /** A run has left its worker. Runs that waited for its place get jobs. */
  abstract leave(run: LeavingRun, how: 'ended' | 'paused'): Promise<readonly EndedByControl[]>;
  /**
   * Reviews at most `limit` runs whose time has come, or whose flow has got other limits. Resolves with their number.
   */
  abstract reviewDue(limit: number): Promise<{ reviewed: number; ended: readonly EndedByControl[] }>;
  /**
   * Finds runs that have ended or paused unnoticed, and reviews them. A call looks at a page of at most `limit` runs of
   * this state after the cursor. The cursor is null after the last page.
   */
  abstract reviewLeft(
    state: LeavingState,
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
