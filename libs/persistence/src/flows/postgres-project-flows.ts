import { ProjectFlows, type FlowOfProject } from '@millrace/domain';
import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { SIDE_WORK_POOL } from '../postgres/pool-share';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { storableText } from '../postgres/stored-json';

const LIST = `
  select flow.id, flow.project_id as "projectId", flow.external_id as "externalId", flow.status,
    flow.published_version_id as "publishedVersionId", flow.created, flow.updated,
    json_build_object('id', version.id, 'flowId', flow.id, 'displayName', version.display_name, 'state', version.state,
      'valid', version.valid, 'trigger', version.trigger::jsonb - 'nextAction') as version
  from flow join flow_version version on version.id = coalesce(flow.published_version_id, flow.latest_version_id)
  where flow.project_id = $1 and ($2::text[] is null or flow.external_id = any($2))
  order by flow.id desc limit 1000`;

@Injectable()
export class PostgresProjectFlows extends ProjectFlows {
  constructor(@Inject(SIDE_WORK_POOL) private readonly pool: Pool) {
    super();
  }

  async list(projectId: string, externalIds?: readonly string[]): Promise<FlowOfProject[]> {
    const values = [projectId, externalIds?.map(storableText) ?? null];
    try {
      return (await this.pool.query<FlowOfProject>({ name: 'flows-of-project', text: LIST, values })).rows;
    } catch (error) {
      throw nameDatabaseError(error);
    }
  }
}
