import { storableJson, type Flow, type FlowNote, type FlowTrigger, type FlowVersion } from '@millrace/domain';
import { storableText } from '../postgres/stored-json';
import type { FlowVersionEntity } from './flow-version.entity';
import type { FlowEntity } from './flow.entity';
import { searchName } from './search-name';

/** Names every column, because a flow that an operation returns may also carry its version. */
export function toFlowRow(flow: Flow, latest: FlowVersion): FlowEntity {
  return {
    id: flow.id,
    projectId: flow.projectId,
    externalId: storableText(flow.externalId),
    ownerId: flow.ownerId,
    folderId: flow.folderId,
    status: flow.status,
    publishedVersionId: flow.publishedVersionId,
    metadata: storableValue(flow.metadata),
    operationStatus: flow.operationStatus,
    timeSavedPerRun: flow.timeSavedPerRun,
    templateId: flow.templateId,
    created: flow.created,
    updated: flow.updated,
    updatedBy: flow.updatedBy,
    revision: flow.revision,
    latestVersionId: latest.id,
    versionState: latest.state,
    searchName: searchName(latest.displayName),
  };
}

export function toVersionRow(version: FlowVersion): FlowVersionEntity {
  return {
    ...version,
    displayName: storableText(version.displayName),
    trigger: storableValue(version.trigger),
    notes: storableValue(version.notes),
  };
}

export function toFlow(row: FlowEntity): Flow {
  const { latestVersionId: _id, versionState: _state, searchName: _name, ...flow } = row;
  return { ...flow, metadata: flow.metadata as Flow['metadata'] };
}

export const toVersion = (row: FlowVersionEntity): FlowVersion => ({
  ...row,
  trigger: row.trigger as FlowTrigger,
  notes: row.notes as FlowNote[],
});

export function storableValue<T>(value: T): T {
  const text = JSON.stringify(value);
  const storable = storableJson(text);
  return storable === text ? value : (JSON.parse(storable) as T);
}
