import { isId, ServiceUnavailableError, SharedConnections, UnreadableSecretError } from '@millrace/domain';
import { Injectable, Logger } from '@nestjs/common';
import { Pool } from 'pg';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { SecretBox } from '../secrets/secret-box';
import { sharedPlace, storableNames } from './shared-connection.statements';

// A connection in error is not used, so its value is not read.
const FIND = `
  select shared.external_id as "externalId", case when usable.id is not null then shared.value end as value
  from shared_connection shared left join connection usable on usable.project_id = shared.project_id
    and usable.external_id = shared.external_id and usable.status_reason is null
  where shared.project_id = $1 and shared.external_id = any($2::text[])`;

interface SharedRow {
  externalId: string;
  value: Buffer | null;
}

@Injectable()
export class PostgresSharedConnections extends SharedConnections {
  private readonly logger = new Logger(SharedConnections.name);

  constructor(
    private readonly pool: Pool,
    private readonly box: SecretBox,
  ) {
    super();
  }

  async find(projectId: string, externalIds: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const names = storableNames(externalIds);
    if (names.length === 0 || !isId(projectId)) return new Map();
    const rows = await this.load(projectId, names);
    const missing = names.filter((name) => !rows.some(({ externalId }) => externalId === name));
    if (missing.length > 0) {
      this.logger.warn({
        msg: `Not shared with the gateway: ${missing.join(', ')} (project ${projectId}).`,
        projectId,
      });
      throw new ServiceUnavailableError('A connection that the flow needs here is not ready yet.');
    }
    const found = await Promise.all(rows.map((row) => this.opened(projectId, row)));
    return new Map(found.flat());
  }

  private async opened(projectId: string, { externalId, value }: SharedRow): Promise<[string, unknown][]> {
    if (value === null) return [];
    try {
      return [[externalId, JSON.parse(await this.box.open(value, sharedPlace({ projectId, externalId })))]];
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error;
      this.logger.error(error.message);
      return [];
    }
  }

  private async load(projectId: string, names: readonly string[]): Promise<SharedRow[]> {
    const query = { name: 'find-shared-connections', text: FIND, values: [projectId, names] };
    try {
      return (await this.pool.query<SharedRow>(query)).rows;
    } catch (error) {
      throw nameDatabaseError(error);
    }
  }
}
