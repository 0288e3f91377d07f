import type { FailedStep, RunEffects } from '@millrace/domain';

/** Why a run goes no further. `ended`: a step asked for it, and all is well. `paused`: a step waits. */
export type Halt =
  | { kind: 'failed'; step: FailedStep; reason: string | null }
  | { kind: 'aborted' }
  | { kind: 'ended' }
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

/** What becomes of the run when a step asks it to end; without such an effect, what would become of it anyhow. */
export function haltBy(step: HaltingStep, effects: RunEffects | undefined, otherwise: Halt | null): Halt | null {
  const stop = effects?.stop;
  if (!stop) return otherwise;
  if (stop.status === 'SUCCEEDED') return ENDED;
  return failedAt(step, stop.message || `The step "${step.displayName}" ended the run as failed.`, null);
}
