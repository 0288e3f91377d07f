import {
  contentsOf,
  type Flow,
  type FlowSummary,
  type FlowTrigger,
  type FlowVersionSummary,
  type VersionContents,
} from '@millrace/domain';
import { toPublication } from './flow.mapper';

/**
 * A row of a list: the columns of the flow, and those of its latest version, renamed where the flow has the same name.
 */
export interface FlowSummaryRow
  extends Flow, Pick<FlowVersionSummary, 'displayName' | 'valid' | 'schemaVersion' | 'state'> {
  versionId: string;
  versionCreated: Date;
  versionUpdated: Date;
  versionUpdatedBy: string;
  contents: VersionContents | null;
  /** The steps of a version that was written before lists said what versions contain. */
  uncountedTrigger: FlowTrigger | null;
  publishedAt: Date | null;
  publishedBy: string | null;
  publishNote: string | null;
}

export function toFlowSummary(row: FlowSummaryRow): FlowSummary {
  const { versionId, displayName, valid, schemaVersion, state, versionCreated, versionUpdated, versionUpdatedBy } = row;
  return {
    ...flowOf(row),
    version: {
      id: versionId,
      flowId: row.id,
      displayName,
      valid,
      schemaVersion,
      state,
      created: versionCreated,
      updated: versionUpdated,
      updatedBy: versionUpdatedBy,
      contents: contentsIn(row),
      ...toPublication(row),
    },
  };
}

function contentsIn({ contents, uncountedTrigger }: FlowSummaryRow): VersionContents {
  if (contents) return contents;
  return uncountedTrigger ? contentsOf(uncountedTrigger) : { trigger: null, pieceNames: [], stepsCount: 0 };
}

const flowOf = (row: FlowSummaryRow): Flow => ({
  id: row.id,
  projectId: row.projectId,
  externalId: row.externalId,
  ownerId: row.ownerId,
  folderId: row.folderId,
  status: row.status,
  publishedVersionId: row.publishedVersionId,
  metadata: row.metadata,
  operationStatus: row.operationStatus,
  timeSavedPerRun: row.timeSavedPerRun,
  templateId: row.templateId,
  created: row.created,
  updated: row.updated,
  updatedBy: row.updatedBy,
  revision: row.revision,
});
