import type { FailedStep, RunEffects } from '@millrace/domain';

/**
 * Why the walk stops at a step. `ended`: the step ended the run as succeeded, for the
 * `reason` that it gave. `paused`: the step waits.
 */
export type Halt =
  | { kind: 'failed'; step: FailedStep; reason: string | null }
  | { kind: 'aborted' }
  | { kind: 'ended'; reason?: string }
  | { kind: 'paused' };

interface HaltingStep {
  name: string;
  displayName: string;
}

export const ABORTED: Halt = { kind: 'aborted' };
export const PAUSED: Halt = { kind: 'paused' };
const ENDED: Halt = { kind: 'ended' };

export function failedAt({ name, displayName }: HaltingStep, message: string, reason: string | null): Halt {
  return { kind: 'failed', step: { name, displayName, message }, reason };
}

/** The halt of a step whose effects may end the run. Without a `stop` among the effects it is `otherwise`. */
export function haltBy(step: HaltingStep, effects: RunEffects | undefined, otherwise: Halt | null): Halt | null {
  const stop = effects?.stop;
  if (!stop) return otherwise;
  if (stop.status === 'SUCCEEDED') return stop.message ? { kind: 'ended', reason: stop.message } : ENDED;
  return failedAt(
    step,
    stop.message || `The step "${step.displayName}" ended the run as failed.`,
    stop.message || null,
  );
}
