import {
  ApiKeyRepository,
  Clock,
  InvalidApiKeyError,
  ProjectMemberRepository,
  projectsWithRole,
  UserRepository,
  type ApiKey,
  type Principal,
  type ProjectRoles,
  type User,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { API_KEY } from '../settings/auth.env';
import { hashOfSecret } from './secret-tokens';

const MAX_KEYS = 10_000;
/** How long a revoked key may still work in another api process. */
const KEY_TTL_MS = 2_000;
const USE_IS_RECORDED_EVERY_MS = 60_000;

/** Finds the principal of a checked credential, with the projects that it may use. */
@Injectable()
export class Principals {
  private readonly keys = new LRUCache<string, ApiKey>({
    max: MAX_KEYS,
    ttl: KEY_TTL_MS,
    ttlResolution: 0,
    perf: { now: () => this.clock.now().getTime() },
  });
  private readonly recordedUses = new LRUCache<string, true>({ max: MAX_KEYS, ttl: USE_IS_RECORDED_EVERY_MS });

  constructor(
    private readonly users: UserRepository,
    private readonly members: ProjectMemberRepository,
    private readonly apiKeys: ApiKeyRepository,
    private readonly clock: Clock,
  ) {}

  /** Returns null when the user does not exist any more. */
  async ofUser(userId: unknown): Promise<Principal | null> {
    const user = typeof userId === 'string' ? await this.users.find(userId) : null;
    return user && this.of(user);
  }

  async of(user: User): Promise<Principal> {
    const platformAdmin = user.platformRole === 'ADMIN';
    const roles: ProjectRoles = platformAdmin ? 'ADMIN' : await this.members.rolesOf(user.id);
    return { kind: 'user', userId: user.id, platformAdmin, roles, projectIds: projectsWithRole({ roles }) };
  }

  /** Finds the principal of a key. Throws InvalidApiKeyError. */
  async ofApiKey(secret: string): Promise<Principal> {
    const key = API_KEY.test(secret) ? await this.findKey(hashOfSecret(secret)) : null;
    const now = this.clock.now();
    if (!key || (key.expiresAt && key.expiresAt <= now)) throw new InvalidApiKeyError();
    await this.recordUse(key, now);
    const { projectId, role } = key;
    const roles: ProjectRoles = projectId === null ? role : new Map([[projectId, role]]);
    return {
      kind: 'api_key',
      apiKeyId: key.id,
      expiresAt: key.expiresAt,
      userId: key.createdBy,
      platformAdmin: projectId === null && role === 'ADMIN',
      roles,
      projectIds: projectsWithRole({ roles }),
    };
  }

  /** Empties the cache after keys were deleted, so that they stop working in this process at once. */
  forgetKeys(): void {
    this.keys.clear();
  }

  private async findKey(hash: string): Promise<ApiKey | null> {
    const cached = this.keys.get(hash);
    if (cached) return cached;
    const key = await this.apiKeys.findByHash(hash);
    if (key) this.keys.set(hash, key);
    return key;
  }

  private async recordUse(key: ApiKey, now: Date): Promise<void> {
    if (this.recordedUses.has(key.id)) return;
    this.recordedUses.set(key.id, true);
    await this.apiKeys.markUsed(key.id, now);
  }
}
