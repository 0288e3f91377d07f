import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('project')
export class ProjectEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text', { name: 'display_name' })
  displayName: string;

  @Column('uuid', { name: 'owner_id' })
  ownerId: string;

  @Column('timestamptz')
  created: Date;

  @Column('timestamptz')
  updated: Date;
}
