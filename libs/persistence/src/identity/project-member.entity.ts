import type { ProjectRole } from '@millrace/domain';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('project_member')
export class ProjectMemberEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'project_id' })
  projectId: string;

  @Column('uuid', { name: 'user_id' })
  userId: string;

  @Column('text')
  role: ProjectRole;

  @Column('timestamptz')
  created: Date;

  @Column('timestamptz')
  updated: Date;
}
