import { isId, TriggerSecrets } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { SecretBox } from '../secrets/secret-box';
import { openSecret } from './sealed-trigger-secret';

const FIND = 'select id, project_id, value from trigger_secret where flow_id = $1 and id = any($2::uuid[])';

interface SealedRow {
  id: string;
  project_id: string;
  value: Buffer;
}

@Injectable()
export class PostgresTriggerSecrets extends TriggerSecrets {
  constructor(
    private readonly pool: Pool,
    private readonly box: SecretBox,
  ) {
    super();
  }

  async find(flowId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0 || !isId(flowId)) return new Map();
    const rows = await this.load(flowId, ids.filter(isId));
    return new Map(
      await Promise.all(
        rows.map(async ({ id, project_id: projectId, value }) => {
          return [id, await openSecret(this.box, { projectId, flowId, id }, value)] as const;
        }),
      ),
    );
  }

  private async load(flowId: string, ids: readonly string[]): Promise<SealedRow[]> {
    try {
      const query = { name: 'find-trigger-secrets', text: FIND, values: [flowId, ids] };
      return (await this.pool.query<SealedRow>(query)).rows;
    } catch (error) {
      throw nameDatabaseError(error);
    }
  }
}
