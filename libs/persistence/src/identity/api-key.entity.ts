import type { ProjectRole } from '@millrace/domain';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('api_key')
export class ApiKeyEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text', { name: 'display_name' })
  displayName: string;

  @Column('uuid', { name: 'project_id', nullable: true })
  projectId: string | null;

  @Column('text')
  role: ProjectRole;

  @Column('uuid', { name: 'created_by' })
  createdBy: string;

  @Column('uuid', { name: 'made_by_key_id', nullable: true })
  madeByKeyId: string | null;

  @Column('text')
  hash: string;

  @Column('text', { name: 'last_four' })
  lastFour: string;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;

  @Column('timestamptz')
  created: Date;
}
