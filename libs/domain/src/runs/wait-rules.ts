import type { FlowRunStatus } from '../run-status';
import type { NewWait } from '../journal/step-wait';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How many days a run may be paused by default. */
export const PAUSED_RUN_LIMIT_DAYS = 30;

/** The status reason of a run that was paused for longer. */
export const PAUSED_TOO_LONG = 'The run was paused for longer than a run may be, and nothing had ended its wait.';

/** The status reason of a run that fails because a child failed whose ending no step waits for. */
export const failedByChild = (childRunId: string, status: FlowRunStatus, message: string | null): string =>
  `The run ${childRunId}, which this run had started, ended as ${endedAs(status, message)}`;

const LONGEST_MESSAGE = 1_000;

/** The end of a sentence about a child: its status, and the message of its failed step or its status reason. */
export const endedAs = (status: FlowRunStatus, message: string | null | undefined): string =>
  message ? `${status}: ${message.slice(0, LONGEST_MESSAGE)}` : `${status}.`;

export interface WaitDeadline {
  due: Date;
  /** True when the deadline ends the run, false when it ends only the wait. */
  endsRun: boolean;
}

/** Every wait has a deadline: its own moment, or the limit for paused runs when that comes first. */
export function waitDeadline({ until }: Pick<NewWait, 'until'>, pausedAt: Date, limitDays: number): WaitDeadline {
  const limit = new Date(pausedAt.getTime() + limitDays * DAY_MS);
  return until && until <= limit ? { due: until, endsRun: false } : { due: limit, endsRun: true };
}
