import { errorFingerprint, stepNameOf } from '@millrace/domain';
import type { StoredFailure } from './flow-run.entity';

export interface FailingChild {
  parentId: string;
  /** The key of the step that started the child; null when no step did. */
  startedBy: string | null;
  reason: string;
}

/**
 * Returns the failed step of a run that fails with its child: the step that started the child, or null when no step
 * did.
 */
export function failureByChild({ parentId, startedBy, reason }: FailingChild): StoredFailure | null {
  const name = stepOf(startedBy, parentId);
  return name === null ? null : { name, displayName: name, message: reason, fingerprint: errorFingerprint(reason) };
}

/** Returns the name of a step from its key `<run id>:<path>`; null for a key of another run or of no step. */
function stepOf(key: string | null, runId: string): string | null {
  return key?.startsWith(`${runId}:`) ? stepNameOf(key.slice(runId.length + 1)) || null : null;
}
