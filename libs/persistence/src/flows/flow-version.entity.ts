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
}
