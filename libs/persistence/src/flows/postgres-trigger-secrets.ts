import { isId, TriggerSecrets, UnreadableSecretError } from '@millrace/domain';
import { Injectable, Logger } from '@nestjs/common';
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
  private readonly logger = new Logger('TriggerSecrets');

  constructor(
    private readonly pool: Pool,
    private readonly box: SecretBox,
  ) {
    super();
  }

  async find(flowId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0 || !isId(flowId)) return new Map();
    const rows = await this.load(flowId, ids.filter(isId));
    const opened = await Promise.all(rows.map(async (row) => [row.id, await this.open(flowId, row)] as const));
    return new Map(opened.flatMap(([id, secret]) => (secret === null ? [] : [[id, secret] as const])));
  }

  /** Null for a secret that does not open: it lets no request pass, and the others of its trigger can be used. */
  private async open(flowId: string, { id, project_id: projectId, value }: SealedRow): Promise<string | null> {
    try {
      return await openSecret(this.box, { projectId, flowId, id }, value);
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error;
      this.logger.error(error.message);
      return null;
    }
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
