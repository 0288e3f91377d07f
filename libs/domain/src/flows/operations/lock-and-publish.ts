import { FlowVersionInvalidError } from '../../errors/flow-version-invalid.error';
import { principalName } from '../../identity/principal';
import type { PopulatedFlow } from '../flow';
import type { FlowVersion } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import { errorsAmong } from '../version-validity';
import { optional, shapeOf, text, type ValueOf } from '../../json/request-shape';
import type { FlowOperationRule, OperationContext } from './flow-operation';

const REQUEST = shapeOf({
  note: optional(text({ maxLength: 1_000, description: 'Why it is published, for the history of versions.' })),
});

/** Locks the draft, publishes it and enables the flow. Without a draft it publishes the latest locked version again. */
export const LOCK_AND_PUBLISH: FlowOperationRule<ValueOf<typeof REQUEST>> = {
  request: REQUEST,
  apply: (current, { note }, context) => publish(current, context, note),
};

/** Throws FlowVersionInvalidError, which names the problem of each invalid step. */
export async function publish(current: PopulatedFlow, context: OperationContext, note = ''): Promise<FlowChange> {
  const { version: latest } = current;
  const published = { at: context.now, by: principalName(context.principal), note: note.trim() || null };
  const version = { ...(await lockedAndValid(latest, context)), published };
  return {
    flow: { ...current, status: 'ENABLED', publishedVersionId: version.id },
    version,
    isNewVersion: version.id !== latest.id,
  };
}

/**
 * Checks the version again, because it may have become invalid since its last edit. A locked version never changes, so
 * one that was locked while it was invalid and has become valid since is published as a new version.
 */
async function lockedAndValid(latest: FlowVersion, context: OperationContext): Promise<FlowVersion> {
  const { version, problems } = await context.check(latest);
  if (!version.valid)
    throw new FlowVersionInvalidError(
      latest.id,
      errorsAmong(problems).map(({ stepName, message }) => ({ stepName, message })),
    );
  if (latest.state === 'LOCKED' && latest.valid) return latest;
  const locked = { updated: context.now, updatedBy: principalName(context.principal), state: 'LOCKED' } as const;
  if (latest.state === 'DRAFT') return { ...version, ...locked };
  return { ...version, ...locked, id: context.newVersionId, created: context.now };
}
