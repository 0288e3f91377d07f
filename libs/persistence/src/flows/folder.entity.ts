import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('folder')
export class FolderEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'project_id' })
  projectId: string;

  @Column('text', { name: 'display_name' })
  displayName: string;

  /** The name in lower case, which is unique in a project. */
  @Column('text', { name: 'name_key', select: false })
  nameKey: string;

  @Column('timestamptz')
  created: Date;

  @Column('timestamptz')
  updated: Date;
}
