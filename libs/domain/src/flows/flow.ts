import type { FlowVersion, FlowVersionSummary } from './flow-version';

export type FlowStatus = 'ENABLED' | 'DISABLED';
export const FLOW_STATUSES: readonly FlowStatus[] = ['ENABLED', 'DISABLED'];

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
  operationStatus: 'NONE';
  timeSavedPerRun: number | null;
  templateId: string | null;
  created: Date;
  updated: Date;
  /** Who changed it last, its versions included: a user's id, or `api_key:<id>`. Kept for the edit guard, not shown. */
  updatedBy: string;
  /** One more with every change: what its ETag says. */
  revision: number;
}

/** A flow as the interface shows it: with one of its versions, the latest unless another was asked for. */
export interface PopulatedFlow extends Flow {
  version: FlowVersion;
}

/** A flow as lists show it: its latest version without the steps. */
export interface FlowSummary extends Flow {
  version: FlowVersionSummary;
}
