import { Injectable } from '@nestjs/common';
import {
  ApiKeyRepository,
  EntityNotFoundError,
  isId,
  type ApiKey,
  type Page,
  type PageRequest,
} from '@millrace/domain';
import { DataSource, IsNull, LessThan } from 'typeorm';
import { idOrder, idsIn } from '../postgres/id-slice';
import { readPage } from '../postgres/page-cursor';
import { ApiKeyEntity } from './api-key.entity';
import { inProjects } from './in-projects';

const USE_RECORDED_EVERY_MS = 60_000;

@Injectable()
export class PostgresApiKeyRepository extends ApiKeyRepository {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async insert(key: ApiKey): Promise<void> {
    await this.keys.insert(key);
  }

  findByHash(hash: string): Promise<ApiKey | null> {
    return this.keys.findOneBy({ hash });
  }

  list(projectIds: readonly string[] | 'any', page: PageRequest): Promise<Page<ApiKey>> {
    return readPage(page, ['api keys', projectIds], (slice) =>
      this.keys.find({
        where: { ...inProjects(projectIds), ...idsIn(slice) },
        order: { id: idOrder(slice) },
        take: slice.limit,
      }),
    );
  }

  async delete(id: string, projectIds: readonly string[] | 'any'): Promise<void> {
    const deleted = isId(id) ? await this.keys.delete({ id, ...inProjects(projectIds) }) : null;
    if (!deleted?.affected) throw new EntityNotFoundError('api_key', id);
  }

  async markUsed(id: string, at: Date): Promise<void> {
    const stale = new Date(at.getTime() - USE_RECORDED_EVERY_MS);
    await this.keys.update(
      [
        { id, lastUsedAt: IsNull() },
        { id, lastUsedAt: LessThan(stale) },
      ],
      { lastUsedAt: at },
    );
  }

  private get keys() {
    return this.dataSource.getRepository(ApiKeyEntity);
  }
}
