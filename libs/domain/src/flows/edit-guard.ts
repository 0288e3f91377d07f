import { FlowInUseError } from '../errors/flow-in-use.error';
import type { FlowVersion } from './flow-version';

const EDIT_GUARD_MS = 60_000;

/** Throws FlowInUseError while another principal's change of the flow is less than a minute old. */
export function assertNotInUse(latest: FlowVersion, principalName: string, now: Date): void {
  const until = new Date(latest.updated.getTime() + EDIT_GUARD_MS);
  if (latest.updatedBy !== principalName && now < until) throw new FlowInUseError(latest.id, latest.updatedBy, until);
}
