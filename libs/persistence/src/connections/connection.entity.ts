import type { ConnectionStatus, ConnectionType } from '@millrace/domain';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A connection without its secret value, which TypeORM never reads. */
@Entity('connection')
export class ConnectionEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'project_id' })
  projectId: string;

  @Column('text', { name: 'external_id' })
  externalId: string;

  @Column('text', { name: 'display_name' })
  displayName: string;

  @Column('text')
  type: ConnectionType;

  @Column('text')
  status: ConnectionStatus;

  @Column('text', { name: 'status_reason', nullable: true })
  statusReason: string | null;

  @Column('timestamptz')
  created: Date;

  @Column('timestamptz')
  updated: Date;
}
