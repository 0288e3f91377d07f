import type { NewWait, RunLeftBehind, RunOutcome } from '@millrace/domain';
import type { Halt } from './halt';
import type { RunWalk } from './run-walk';

/**
 * Why the caller of `runFlow` aborts its signal (`controller.abort(reason)`). `timedOut` and `stopped` end the run.
 * After `claimLost` and `shutdown` another worker continues it.
 */
export type AbortReason = 'timedOut' | 'stopped' | 'claimLost' | 'shutdown';

/** How a walk left its run: with its outcome, paused, or interrupted. */
export type RunExit = RunOutcome | RunPaused | RunInterrupted;

/** The run waits: no step can be executed before one of its waits ends. */
export interface RunPaused extends RunLeftBehind {
  kind: 'paused';
  /**
   * All waits that have not ended, those of earlier walks too, because the engine does not know which ones have a row.
   */
  waits: readonly NewWait[];
}

/** The run has not ended. Another worker continues it from its records, and this worker writes no more of it. */
export interface RunInterrupted {
  kind: 'interrupted';
}

export const endsTheRun = (reason: unknown): reason is 'timedOut' | 'stopped' =>
  reason === 'timedOut' || reason === 'stopped';

/** The exit of a run whose walk stopped at this halt. Null means that the walk came to the end of the flow. */
export function exitOf(halt: Halt | null, { recorder, signal }: RunWalk): RunExit {
  const { stepsCount, tags, response } = recorder;
  const left: RunLeftBehind = response ? { stepsCount, tags, response } : { stepsCount, tags };
  switch (halt?.kind) {
    case undefined:
      return { kind: 'succeeded', ...left };
    case 'ended':
      return { kind: 'succeeded', ...(halt.reason && { reason: recorder.masked(halt.reason) }), ...left };
    case 'failed': {
      const { step, reason } = halt;
      return {
        kind: 'failed',
        step: { ...step, message: recorder.masked(step.message) },
        reason: reason && recorder.masked(reason),
        ...left,
      };
    }
    case 'aborted':
      return abortedExit(signal, left);
    case 'paused':
      // A run that was aborted is not paused, even when its steps only wait.
      return signal.aborted ? abortedExit(signal, left) : { kind: 'paused', waits: recorder.waits.open, ...left };
  }
}

const abortedExit = ({ reason }: AbortSignal, left: RunLeftBehind): RunExit =>
  endsTheRun(reason) ? { kind: reason, ...left } : { kind: 'interrupted' };
