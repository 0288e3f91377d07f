import { PermissionDeniedError } from '../../errors/permission-denied.error';
import { FLOW_STATUSES, type FlowStatus } from '../../flow-status';
import { mayIn } from '../../identity/principal';
import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import { oneOf, shapeOf } from '../../json/request-shape';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { changeFlow, unchanged } from './edit-draft';
import { publish } from './lock-and-publish';

/**
 * Enables or disables the flow. Enabling a flow that was never published publishes its draft, so it needs the permission
 * to publish.
 */
export const CHANGE_STATUS: FlowOperationRule<{ status: FlowStatus }> = {
  request: shapeOf({ status: oneOf(FLOW_STATUSES) }),
  apply: changeStatus,
};

function changeStatus(
  current: PopulatedFlow,
  { status }: { status: FlowStatus },
  context: OperationContext,
): FlowChange | Promise<FlowChange> {
  if (current.status === status) return unchanged(current);
  if (status === 'DISABLED' || current.publishedVersionId !== null) return changeFlow(current, { status });
  if (!mayIn(context.principal, current.projectId, 'WRITE_FLOW'))
    throw new PermissionDeniedError('WRITE_FLOW', current.projectId);
  return publish(current, context);
}
