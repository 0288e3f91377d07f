import { ConnectionValues, isId, type ConnectionValue } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { storableText } from '../postgres/stored-json';
import { SecretBox } from '../secrets/secret-box';
import { openValue } from './sealed-value';

const FIND = 'select id, external_id, value from connection where project_id = $1 and external_id = any($2::text[])';

interface SealedRow {
  id: string;
  external_id: string;
  value: Buffer;
}

@Injectable()
export class PostgresConnectionValues extends ConnectionValues {
  constructor(
    private readonly pool: Pool,
    private readonly box: SecretBox,
  ) {
    super();
  }

  async find(projectId: string, externalIds: readonly string[]): Promise<ReadonlyMap<string, ConnectionValue>> {
    if (externalIds.length === 0 || !isId(projectId)) return new Map();
    const values = [projectId, externalIds.map(storableText)];
    const { rows } = await this.pool.query<SealedRow>({ name: 'find-connection-values', text: FIND, values });
    return new Map(
      await Promise.all(
        rows.map(async ({ id, external_id: externalId, value }) => {
          return [externalId, await openValue(this.box, { id, projectId, externalId }, value)] as const;
        }),
      ),
    );
  }
}
