import { Injectable } from '@nestjs/common';
import { isId, ResourceProjects, type EntityType } from '@millrace/domain';
import { DataSource } from 'typeorm';

/** The table of each type that belongs to a project by itself. */
const TABLES: Partial<Record<EntityType, string>> = {
  api_key: 'api_key',
  connection: 'connection',
  event_destination: 'event_destination',
  file: 'file',
  flow: 'flow',
  flow_run: 'flow_run',
  folder: 'folder',
  paced_retry: 'paced_retry',
  project_member: 'project_member',
  template: 'flow_template',
  user_invitation: 'user_invitation',
};

@Injectable()
export class PostgresResourceProjects extends ResourceProjects {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async projectOf(type: EntityType, id: string): Promise<string | null> {
    if (!isId(id)) return null;
    if (type === 'project') return id;
    const table = TABLES[type];
    if (table === undefined) return null;
    const rows: { project_id: string | null }[] = await this.dataSource.query(
      `select project_id from ${table} where id = $1`,
      [id],
    );
    return rows[0]?.project_id ?? null;
  }
}
