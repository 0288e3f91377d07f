import { FlowInUseError } from '../errors/flow-in-use.error';
import type { PopulatedFlow } from './flow';

const EDIT_GUARD_MS = 60_000;

/** Throws FlowInUseError while another principal's change of the flow is less than a minute old. */
export function assertNotInUse({ updated, updatedBy, version }: PopulatedFlow, principalName: string, now: Date): void {
  const until = new Date(updated.getTime() + EDIT_GUARD_MS);
  if (updatedBy !== principalName && now < until)
    throw new FlowInUseError({ flowVersionId: version.id, updatedBy, until });
}
