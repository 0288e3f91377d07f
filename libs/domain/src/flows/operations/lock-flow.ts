import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import { principalName } from '../../identity/principal';
import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import { shapeOf } from '../../json/request-shape';
import type { FlowOperationRule, OperationContext } from './flow-operation';

/** Locks the draft, even if it is not valid. The published version stays published. */
export const LOCK_FLOW: FlowOperationRule<object> = {
  request: shapeOf({}),
  apply: (current, _request, context) => lock(current, context),
};

async function lock(current: PopulatedFlow, { check, principal, now }: OperationContext): Promise<FlowChange> {
  const { version: latest } = current;
  if (latest.state === 'LOCKED')
    throw new FlowOperationInvalidError(`The latest version of the flow, ${latest.id}, is locked already.`);
  const { version } = await check(latest);
  return {
    flow: current,
    version: { ...version, state: 'LOCKED', updated: now, updatedBy: principalName(principal) },
    isNewVersion: false,
  };
}
