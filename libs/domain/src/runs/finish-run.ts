import { withFingerprint } from './error-fingerprint';
import type { RunEnding, RunClaim } from './run-journal';
import type { RunOutcome } from './run-outcome';

/** What the row of a run says after its ending: the ending without its claim and its last segment. */
export type RunFinish = Omit<RunEnding, keyof RunClaim | 'seq' | 'records'>;

interface RunTimes {
  startTime: Date;
  finishTime: Date;
  timeoutSeconds: number;
}

/** Turns the outcome of a run into what its row says. */
export function finishRun(outcome: RunOutcome, { startTime, finishTime, timeoutSeconds }: RunTimes): RunFinish {
  const finish = {
    startTime,
    // The two may come from different clocks: flow control sets the start of its runs by the database's.
    finishTime: finishTime < startTime ? startTime : finishTime,
    stepsCount: outcome.stepsCount,
    failedStep: null,
    statusReason: null,
    tags: outcome.tags,
  };
  switch (outcome.kind) {
    case 'succeeded':
      return { ...finish, status: 'SUCCEEDED', statusReason: outcome.reason ?? null };
    case 'failed':
      return { ...finish, status: 'FAILED', failedStep: withFingerprint(outcome.step), statusReason: outcome.reason };
    case 'timedOut':
      return { ...finish, status: 'TIMEOUT', statusReason: `The run exceeded its time limit of ${timeoutSeconds} s.` };
    case 'stopped':
      return { ...finish, status: 'STOPPED', statusReason: 'The run was cancelled.' };
    case 'internalError':
      return { ...finish, status: 'INTERNAL_ERROR', statusReason: outcome.reason };
  }
}
