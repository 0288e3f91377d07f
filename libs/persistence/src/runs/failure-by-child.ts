import { errorFingerprint } from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';
import type { StoredFailure } from './flow-run.entity';

const TRIGGER = `
  select version.trigger ->> 'name' as name, version.trigger ->> 'displayName' as "displayName"
  from flow_run run join flow_version version on version.id = run.flow_version_id where run.id = $1`;

export interface FailingChild {
  parentId: string;
  /** The key of the step that started the child, when a step did. */
  startedBy: string | null;
  reason: string;
}

/** How a run failed that failed with its child: at the step that had started it, else at what had started the run. */
export async function failureByChild(
  tx: Queryable,
  { parentId, startedBy, reason }: FailingChild,
): Promise<StoredFailure> {
  const name = stepOf(startedBy, parentId);
  const at = name === null ? await triggerOf(tx, parentId) : { name, displayName: name };
  return { ...at, message: reason, fingerprint: errorFingerprint(reason) };
}

/** The key of a step is `<run id>:<path>`. */
function stepOf(key: string | null, runId: string): string | null {
  if (!key?.startsWith(`${runId}:`)) return null;
  return /[^:.]+$/.exec(key)?.[0] ?? null;
}

async function triggerOf(tx: Queryable, runId: string): Promise<{ name: string; displayName: string }> {
  const query = { name: 'trigger-of-run', text: TRIGGER, values: [runId] };
  const found = (await tx.query<{ name: string; displayName: string }>(query)).rows[0];
  return found ?? { name: 'trigger', displayName: 'trigger' };
}
