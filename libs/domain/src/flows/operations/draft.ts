import { principalName } from '../../identity/principal';
import type { PopulatedFlow } from '../flow';
import type { FlowVersion } from '../flow-version';
import type { OperationContext } from './flow-operation';

/** The version that an edit changes: the draft, or a new draft made from the locked version, which itself never changes. */
export function editableDraft(
  { version }: PopulatedFlow,
  { principal, now, newVersionId }: OperationContext,
): { draft: FlowVersion; isNewVersion: boolean } {
  const edited = { updated: now, updatedBy: principalName(principal) };
  if (version.state === 'DRAFT') return { draft: { ...version, ...edited }, isNewVersion: false };
  return { draft: { ...version, ...edited, id: newVersionId, state: 'DRAFT', created: now }, isNewVersion: true };
}
