import { FlowVersionInvalidError } from '../../errors/flow-version-invalid.error';
import { principalName } from '../../identity/principal';
import type { PopulatedFlow } from '../flow';
import type { FlowVersion } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import { errorsAmong } from '../version-validity';
import { shapeOf } from '../../json/request-shape';
import type { FlowOperationRule, OperationContext } from './flow-operation';

/** Locks the draft, publishes it and enables the flow. Without a draft it publishes the latest locked version again. */
export const LOCK_AND_PUBLISH: FlowOperationRule<object> = {
  request: shapeOf({}),
  apply: (current, _request, context) => publish(current, context),
};

/** Throws FlowVersionInvalidError, which names the problem of each invalid step. */
export async function publish(current: PopulatedFlow, context: OperationContext): Promise<FlowChange> {
  const { version: latest } = current;
  const version = await lockedAndValid(latest, context);
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
