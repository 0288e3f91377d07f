import type { FlowVersionState } from '@millrace/domain';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** JSON columns have the type `object`, because TypeORM cannot handle recursive types. The mapper casts them. */
@Entity('flow_version')
export class FlowVersionEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'flow_id' })
  flowId: string;

  @Column('text', { name: 'display_name' })
  displayName: string;

  @Column('json')
  trigger: object;

  @Column('boolean')
  valid: boolean;

  @Column('text', { name: 'schema_version' })
  schemaVersion: string;

  @Column('text')
  state: FlowVersionState;

  @Column('json')
  notes: object;

  @Column('timestamptz')
  created: Date;

  @Column('timestamptz')
  updated: Date;

  @Column('text', { name: 'updated_by' })
  updatedBy: string;

  /** What lists say about the steps; null for a version that was written before lists said it. */
  @Column('json', { nullable: true })
  contents: object | null;

  @Column('timestamptz', { name: 'published_at', nullable: true })
  publishedAt: Date | null;

  @Column('text', { name: 'published_by', nullable: true })
  publishedBy: string | null;

  @Column('text', { name: 'publish_note', nullable: true })
  publishNote: string | null;
}
