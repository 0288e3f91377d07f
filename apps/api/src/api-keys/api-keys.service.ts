import { ApiKeyRepository, Clock, InvalidRequestError, type ApiKey, type Principal } from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { hashOfApiKey, newApiKeySecret } from '../auth/api-key-secret';
import { Principals } from '../auth/principals';
import { ProjectAccess } from '../auth/project-access';
import { pageOf } from '../rest/paged-query.dto';
import type { ApiKeyDto, ApiKeyPageDto, CreateApiKeyDto, CreatedApiKeyDto, ListApiKeysQueryDto } from './api-key.dto';

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly apiKeys: ApiKeyRepository,
    private readonly access: ProjectAccess,
    private readonly principals: Principals,
    private readonly clock: Clock,
  ) {}

  async list(principal: Principal, query: ListApiKeysQueryDto): Promise<ApiKeyPageDto> {
    const { projectId } = query;
    if (projectId !== undefined) await this.access.assertRole(principal, projectId);
    const projectIds = projectId === undefined ? principal.projectIds : [projectId];
    const keys = await this.apiKeys.list(projectIds, pageOf(query));
    return { ...keys, data: keys.data.map(shown) };
  }

  async create(principal: Principal, request: CreateApiKeyDto): Promise<CreatedApiKeyDto> {
    const projectId = projectFor(principal, request.projectId ?? null);
    if (projectId !== null) await this.access.assertRole(principal, projectId);
    const now = this.clock.now();
    const expiresAt = request.expiresAt ? new Date(request.expiresAt) : null;
    if (expiresAt && expiresAt <= now)
      throw new InvalidRequestError([{ path: '/expiresAt', message: 'must be in the future.' }]);
    const value = newApiKeySecret();
    const key: ApiKey = {
      id: newId(),
      displayName: request.displayName,
      projectId,
      createdBy: principal.userId,
      hash: hashOfApiKey(value),
      lastFour: value.slice(-4),
      expiresAt,
      lastUsedAt: null,
      created: now,
    };
    await this.apiKeys.insert(key);
    return { ...shown(key), value };
  }

  async delete(principal: Principal, id: string): Promise<void> {
    await this.apiKeys.delete(id, principal.projectIds);
    this.principals.forgetKey(id);
  }
}

/** Removes the hash, which clients must not see. */
function shown({ hash: _hash, ...key }: ApiKey): ApiKeyDto {
  return key;
}

function projectFor({ projectIds, platformAdmin }: Principal, named: string | null): string | null {
  if (named !== null || platformAdmin) return named;
  const [only, ...others] = projectIds;
  if (only === undefined || others.length > 0)
    throw new InvalidRequestError([
      { path: '/projectId', message: 'is required: you have a role in several projects.' },
    ]);
  return only;
}
