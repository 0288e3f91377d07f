import {
  contentsOf,
  storableJson,
  type Flow,
  type FlowNote,
  type FlowTrigger,
  type FlowVersion,
  type Publication,
} from '@millrace/domain';
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

export function toVersionRow({ published, ...version }: FlowVersion): FlowVersionEntity {
  const trigger = storableValue(version.trigger);
  return {
    ...version,
    displayName: storableText(version.displayName),
    trigger,
    notes: storableValue(version.notes),
    contents: contentsOf(trigger),
    ...publicationRow(published),
  };
}

type PublicationRow = Pick<FlowVersionEntity, 'publishedAt' | 'publishedBy' | 'publishNote'>;

export const publicationRow = (published: Publication | undefined): PublicationRow => ({
  publishedAt: published?.at ?? null,
  publishedBy: published?.by ?? null,
  publishNote: published?.note == null ? null : storableText(published.note),
});

export const toPublication = (row: PublicationRow): Pick<FlowVersion, 'published'> =>
  row.publishedAt === null || row.publishedBy === null
    ? {}
    : { published: { at: row.publishedAt, by: row.publishedBy, note: row.publishNote } };

export function toFlow(row: FlowEntity): Flow {
  const { latestVersionId: _id, versionState: _state, searchName: _name, ...flow } = row;
  return { ...flow, metadata: flow.metadata as Flow['metadata'] };
}

export function toVersion(row: FlowVersionEntity): FlowVersion {
  const { contents: _contents, publishedAt, publishedBy, publishNote, ...version } = row;
  return {
    ...version,
    trigger: row.trigger as FlowTrigger,
    notes: row.notes as FlowNote[],
    ...toPublication({ publishedAt, publishedBy, publishNote }),
  };
}

export function storableValue<T>(value: T): T {
  const text = JSON.stringify(value);
  const storable = storableJson(text);
  return storable === text ? value : (JSON.parse(storable) as T);
}
