import type { ProjectRole } from '@millrace/domain';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('user_invitation')
export class UserInvitationEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'project_id' })
  projectId: string;

  @Column('text')
  email: string;

  @Column('text')
  role: ProjectRole;

  @Column('text', { name: 'token_hash' })
  tokenHash: string;

  @Column('uuid', { name: 'invited_by' })
  invitedBy: string;

  @Column('uuid', { name: 'invited_by_key_id', nullable: true })
  invitedByKeyId: string | null;

  @Column('timestamptz')
  expires: Date;

  @Column('timestamptz')
  created: Date;
}
