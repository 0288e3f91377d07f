import type { FlowStatus } from '../flow-status';
import type { TriggerFailure } from '../triggers/trigger-failure';
import type { FlowVersion, FlowVersionSummary } from './flow-version';

/** `ENABLING`: the flow is as it was, until the hooks have succeeded. `DISABLING`: the trigger starts no runs any more. */
export const OPERATION_STATUSES = ['NONE', 'ENABLING', 'DISABLING'] as const;
export type OperationStatus = (typeof OPERATION_STATUSES)[number];

/** A flow: the stable identity around its versions. Times are UTC. */
export interface Flow {
  id: string;
  projectId: string;
  externalId: string;
  ownerId: string;
  folderId: string | null;
  status: FlowStatus;
  publishedVersionId: string | null;
  metadata: Record<string, unknown> | null;
  /** What happens to the trigger now: its hooks are called before the flow is enabled, or after it was disabled. */
  operationStatus: OperationStatus;
  timeSavedPerRun: number | null;
  templateId: string | null;
  created: Date;
  updated: Date;
  /** Who last changed the flow or a version of it: a user's id, or `api_key:<id>`. Only the edit guard reads it. */
  updatedBy: string;
  /** The number in the flow's ETag. Every change adds one. */
  revision: number;
}

/** A flow as the interface shows it, with its latest version or with the requested one. */
export interface PopulatedFlow extends Flow {
  version: FlowVersion;
  /** Present while the trigger of the enabled flow fails. A decision about a change does not see it. */
  triggerFailure?: TriggerFailure;
}

/** A flow in a list, with its latest version without the steps. */
export interface FlowSummary extends Flow {
  version: FlowVersionSummary;
}
