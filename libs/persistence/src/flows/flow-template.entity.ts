import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('flow_template')
export class FlowTemplateEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'project_id' })
  projectId: string;

  @Column('text')
  name: string;

  @Column('text')
  description: string;

  @Column('json')
  template: object;

  @Column('timestamptz')
  created: Date;

  @Column('timestamptz')
  updated: Date;
}
