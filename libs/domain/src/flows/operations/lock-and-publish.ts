import { FlowVersionInvalidError } from '../../errors/flow-version-invalid.error';
import { principalName } from '../../identity/principal';
import type { PopulatedFlow } from '../flow';
import type { FlowVersion } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import { errorsAmong } from '../version-validity';
import type { FlowOperationRule, OperationContext } from './flow-operation';

/** Locks the draft, publishes it and enables the flow; with nothing new to lock, republishes the latest locked version. */
export const LOCK_AND_PUBLISH: FlowOperationRule<null> = {
  parse: () => null,
  apply: (current, _request, context) => publish(current, context),
};

/** Throws FlowVersionInvalidError, which says what is wrong with which step. */
export async function publish(current: PopulatedFlow, context: OperationContext): Promise<FlowChange> {
  const { version: latest, ...flow } = current;
  const version = latest.state === 'LOCKED' ? latest : await lock(latest, context);
  return {
    flow: { ...flow, status: 'ENABLED', publishedVersionId: version.id, updated: context.now },
    version,
    isNewVersion: false,
  };
}

/** What was valid when it was drawn up may not be any more, so it is checked again. */
async function lock(draft: FlowVersion, { check, principal, now }: OperationContext): Promise<FlowVersion> {
  const { version, problems } = await check(draft);
  if (!version.valid)
    throw new FlowVersionInvalidError(
      draft.id,
      errorsAmong(problems).map(({ stepName, message }) => ({ stepName, message })),
    );
  return { ...version, state: 'LOCKED', updated: now, updatedBy: principalName(principal) };
}
