import type { FlowVersion } from './flow-version';

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
}

/** A flow as the interface shows it: with one of its versions, the latest unless another was asked for. */
export interface PopulatedFlow extends Flow {
  version: FlowVersion;
}
