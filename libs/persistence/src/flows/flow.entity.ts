import type { FlowStatus, FlowVersionState, OperationStatus } from '@millrace/domain';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('flow')
export class FlowEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'project_id' })
  projectId: string;

  @Column('text', { name: 'external_id' })
  externalId: string;

  @Column('uuid', { name: 'owner_id' })
  ownerId: string;

  @Column('uuid', { name: 'folder_id', nullable: true })
  folderId: string | null;

  @Column('text')
  status: FlowStatus;

  @Column('uuid', { name: 'published_version_id', nullable: true })
  publishedVersionId: string | null;

  @Column('json', { nullable: true })
  metadata: object | null;

  @Column('text', { name: 'operation_status' })
  operationStatus: OperationStatus;

  @Column('double precision', { name: 'time_saved_per_run', nullable: true })
  timeSavedPerRun: number | null;

  @Column('text', { name: 'template_id', nullable: true })
  templateId: string | null;

  @Column('timestamptz')
  created: Date;

  @Column('timestamptz')
  updated: Date;

  @Column('text', { name: 'updated_by' })
  updatedBy: string;

  @Column('int')
  revision: number;

  // These columns repeat the latest version, for lists.

  @Column('uuid', { name: 'latest_version_id' })
  latestVersionId: string;

  @Column('text', { name: 'version_state' })
  versionState: FlowVersionState;

  /** The name in lower case. */
  @Column('text', { name: 'search_name' })
  searchName: string;
}
