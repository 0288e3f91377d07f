import { ConnectionValues, isId, UnreadableSecretError, type FoundConnection } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { storableText } from '../postgres/stored-json';
import { SecretBox } from '../secrets/secret-box';
import { openValue } from './sealed-value';

const FIND = `
  select id, external_id, value, status_reason from connection
  where project_id = $1 and external_id = any($2::text[])`;

interface SealedRow {
  id: string;
  external_id: string;
  value: Buffer;
  status_reason: string | null;
}

@Injectable()
export class PostgresConnectionValues extends ConnectionValues {
  constructor(
    private readonly pool: Pool,
    private readonly box: SecretBox,
  ) {
    super();
  }

  async find(projectId: string, externalIds: readonly string[]): Promise<ReadonlyMap<string, FoundConnection>> {
    if (externalIds.length === 0 || !isId(projectId)) return new Map();
    const values = [projectId, externalIds.map(storableText)];
    const { rows } = await this.pool.query<SealedRow>({ name: 'find-connection-values', text: FIND, values });
    return new Map(
      await Promise.all(rows.map(async (row) => [row.external_id, await this.open(projectId, row)] as const)),
    );
  }

  /** A value that does not open is a problem of its connection alone: the others of the run can be used. */
  private async open(projectId: string, row: SealedRow): Promise<FoundConnection> {
    const { id, external_id: externalId, status_reason: reason } = row;
    if (reason !== null) return { id, problem: reason };
    try {
      return { id, value: await openValue(this.box, { id, projectId, externalId }, row.value) };
    } catch (error) {
      if (error instanceof UnreadableSecretError) return { id, problem: error.message };
      throw error;
    }
  }
}
