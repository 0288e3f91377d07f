import {
  ApiKeyRepository,
  Clock,
  InvalidRequestError,
  isAtLeast,
  PermissionDeniedError,
  roleIn,
  type ApiKey,
  type Principal,
  type ProjectRole,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { hashOfSecret, newApiKeySecret } from '../auth/secret-tokens';
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
    if (projectId === undefined) this.access.assertPermittedSomewhere(principal);
    else await this.access.assertPermitted(principal, projectId);
    const projectIds = projectId === undefined ? principal.projectIds : [projectId];
    const keys = await this.apiKeys.list({ projectIds, madeByKeyId: query.madeByKeyId }, pageOf(query));
    return { ...keys, data: keys.data.map(shown) };
  }

  async create(principal: Principal, request: CreateApiKeyDto): Promise<CreatedApiKeyDto> {
    const projectId = await this.projectFor(principal, request.projectId ?? null);
    const role = roleFor(principal, projectId, request.role ?? null);
    const now = this.clock.now();
    const expiresAt = expiryFor(principal, request.expiresAt ?? null, now);
    const value = newApiKeySecret();
    const key: ApiKey = {
      id: newId(),
      displayName: request.displayName,
      projectId,
      role,
      createdBy: principal.userId,
      madeByKeyId: principal.kind === 'api_key' ? principal.apiKeyId : null,
      hash: hashOfSecret(value),
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
    this.principals.forgetKeys();
  }

  /** Returns null for a key of the platform. */
  private async projectFor(principal: Principal, named: string | null): Promise<string | null> {
    return named === null && principal.platformAdmin ? null : this.access.projectOf(principal, named);
  }
}

/** Removes the hash, which clients must not see. */
function shown({ hash: _hash, ...key }: ApiKey): ApiKeyDto {
  return key;
}

/** Returns the role of the new key: at most the caller's own. */
function roleFor(principal: Principal, projectId: string | null, asked: ProjectRole | null): ProjectRole {
  const own = projectId === null ? 'ADMIN' : (roleIn(principal, projectId) ?? 'VIEWER');
  if (asked !== null && !isAtLeast(own, asked))
    throw new PermissionDeniedError('WRITE_API_KEY', projectId ?? undefined);
  return asked ?? own;
}

/** Returns when the new key expires: with the key that makes it at the latest. */
function expiryFor(principal: Principal, asked: Date | null, now: Date): Date | null {
  const own = principal.kind === 'api_key' ? principal.expiresAt : null;
  if (asked === null) return own;
  if (asked <= now) throw wrongExpiry('must be in the future.');
  if (own !== null && asked > own) throw wrongExpiry('must not be later than that of the key that asks.');
  return asked;
}

const wrongExpiry = (message: string) => new InvalidRequestError([{ path: '/expiresAt', message }]);
