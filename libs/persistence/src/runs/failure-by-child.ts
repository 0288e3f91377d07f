import { errorFingerprint, stepNameOf } from '@millrace/domain';
import type { StoredFailure } from './flow-run.entity';

export interface FailingChild {
  parentId: string;
  /** The key of the step that started the child, when a step did. */
  startedBy: string | null;
  reason: string;
}

/** The failed step of a run that failed with its child: the one that had started the child. Null when no step had. */
export function failureByChild({ parentId, startedBy, reason }: FailingChild): StoredFailure | null {
  const name = stepOf(startedBy, parentId);
  return name === null ? null : { name, displayName: name, message: reason, fingerprint: errorFingerprint(reason) };
}

/** The key of a step is `<run id>:<path>`. */
function stepOf(key: string | null, runId: string): string | null {
  return key?.startsWith(`${runId}:`) ? stepNameOf(key.slice(runId.length + 1)) || null : null;
}
