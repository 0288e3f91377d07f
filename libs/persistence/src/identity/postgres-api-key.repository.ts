import { Injectable } from '@nestjs/common';
import { ApiKeyRepository, isId, type ApiKey, type Page, type PageRequest } from '@millrace/domain';
import { DataSource, In } from 'typeorm';
import { insertAuditEvent } from '../audit/audit-event.statements';
import { readEntityPage } from '../lists/entity-page';
import { ApiKeyEntity } from './api-key.entity';
import { getInProjects, inProjects } from './in-projects';
import { lockMaker } from './maker.statements';
import { keyEvent, revokeKeys } from './revoked-keys';
import { inEntityTransaction } from '../postgres/in-entity-transaction';

const USE_RECORDED_EVERY_MS = 60_000;

/** The rows are locked in one order, so that two processes do not wait for each other. */
const MARK_USED = `
  update api_key set last_used_at = $2 where id = any(array(
    select id from api_key where id = any($1::uuid[]) and (last_used_at is null or last_used_at < $3)
    order by id for no key update))`;

@Injectable()
export class PostgresApiKeyRepository extends ApiKeyRepository {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async insert(key: ApiKey): Promise<void> {
    const { createdBy: userId, madeByKeyId: keyId, projectId, role } = key;
    await inEntityTransaction(this.dataSource, async (tx) => {
      await lockMaker(tx, { userId, keyId }, { projectId, role, permission: 'WRITE_API_KEY' });
      await tx.insert(ApiKeyEntity, key);
      await insertAuditEvent(tx, keyEvent(key, 'api_key.created'));
    });
  }

  findByHash(hash: string): Promise<ApiKey | null> {
    return this.keys.findOneBy({ hash });
  }

  async findByHashes(hashes: readonly string[]): Promise<ApiKey[]> {
    return hashes.length === 0 ? [] : this.keys.findBy({ hash: In(hashes) });
  }

  list(
    { projectIds, madeByKeyId }: { projectIds: readonly string[] | 'any'; madeByKeyId?: string },
    page: PageRequest,
  ): Promise<Page<ApiKey>> {
    const isNone = madeByKeyId !== undefined && !isId(madeByKeyId);
    const made = madeByKeyId === undefined ? {} : { madeByKeyId };
    return readEntityPage(this.keys, page, {
      filters: ['api keys', projectIds, madeByKeyId],
      where: isNone ? null : { ...inProjects(projectIds), ...made },
    });
  }

  async delete(id: string, projectIds: readonly string[] | 'any'): Promise<void> {
    await inEntityTransaction(this.dataSource, async (tx) => {
      const keys = tx.getRepository(ApiKeyEntity);
      await getInProjects(keys, 'api_key', id, projectIds);
      await revokeKeys(tx, 'id = $1', [id]);
    });
  }

  async markUsed(ids: readonly string[], at: Date): Promise<void> {
    const stale = new Date(at.getTime() - USE_RECORDED_EVERY_MS);
    if (ids.length > 0) await this.dataSource.query(MARK_USED, [ids, at, stale]);
  }

  private get keys() {
    return this.dataSource.getRepository(ApiKeyEntity);
  }
}
