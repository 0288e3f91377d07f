import type { NewWait, RunLeftBehind, RunOutcome } from '@millrace/domain';
import type { Halt } from './halt';
import type { RunWalk } from './run-walk';

/**
 * Why the caller of `runFlow` aborts its signal (`controller.abort(reason)`). The first two end the run; after the
 * others another worker continues it.
 */
export type AbortReason = 'timedOut' | 'stopped' | 'claimLost' | 'shutdown';

/** How a walk left its run: with its outcome, or before it. */
export type RunExit = RunOutcome | RunPaused | RunInterrupted;

/** No step can be executed before one of the run's waits ends. */
export interface RunPaused extends RunLeftBehind {
  kind: 'paused';
  /** All that have not ended, also those of an earlier walk: only the journal knows which of them have a row. */
  waits: readonly NewWait[];
}

/** The run has not ended. Its next worker continues from its records, and this worker writes nothing more. */
export interface RunInterrupted {
  kind: 'interrupted';
}

export const endsTheRun = (reason: unknown): reason is 'timedOut' | 'stopped' =>
  reason === 'timedOut' || reason === 'stopped';

/** The exit of a run whose steps came to this halt, or to the end of the flow. */
export function exitOf(halt: Halt | null, { recorder, signal }: RunWalk): RunExit {
  const { stepsCount, tags, response } = recorder;
  const left: RunLeftBehind = response ? { stepsCount, tags, response } : { stepsCount, tags };
  switch (halt?.kind) {
    case undefined:
    case 'ended':
      return { kind: 'succeeded', ...left };
    case 'failed': {
      const { step, reason } = halt;
      return { kind: 'failed', step: { ...step, message: recorder.masked(step.message) }, reason, ...left };
    }
    case 'aborted':
      return abortedExit(signal, left);
    case 'paused':
      // An abort ends a run that would only wait, too.
      return signal.aborted ? abortedExit(signal, left) : { kind: 'paused', waits: recorder.waits.open, ...left };
  }
}

const abortedExit = ({ reason }: AbortSignal, left: RunLeftBehind): RunExit =>
  endsTheRun(reason) ? { kind: reason, ...left } : { kind: 'interrupted' };
