import {
  ApiKeyRepository,
  CallTokens,
  Clock,
  InvalidApiKeyError,
  InvalidBearerTokenError,
  packagePrincipal,
  ProjectMemberRepository,
  projectsWithRole,
  UserRepository,
  type ApiKey,
  type Principal,
  type ProjectRole,
  type ProjectRoles,
  type User,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { API_KEY } from '@millrace/settings';
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
    private readonly callTokens: CallTokens,
  ) {}

  /** Returns null when the user does not exist any more. */
  async ofUser(userId: unknown): Promise<Principal | null> {
    const user = typeof userId === 'string' ? await this.users.find(userId) : null;
    return user && this.of(user);
  }

  async of(user: User): Promise<Principal> {
    const isAdministrator = user.platformRole === 'ADMIN';
    return userPrincipal(user, isAdministrator ? new Map() : await this.members.rolesOf(user.id));
  }

  /** Finds the principal of a key. Throws InvalidApiKeyError. */
  async ofApiKey(secret: string): Promise<Principal> {
    const key = API_KEY.test(secret) ? await this.findKey(hashOfSecret(secret)) : null;
    const now = this.clock.now();
    if (!key || isExpired(key, now)) throw new InvalidApiKeyError();
    await this.recordUses([key], now);
    return keyPrincipal(key);
  }

  /** Finds the principal of a token by which a worker reads for a package. Throws InvalidBearerTokenError. */
  async ofPackage(token: string): Promise<Principal> {
    const projectId = await this.callTokens.projectOf(token, this.clock.now());
    if (projectId === null) throw new InvalidBearerTokenError();
    return packagePrincipal(projectId);
  }

  /**
   * Finds the principals of many credentials as they are now, with one statement for each table and past the cache. Who
   * is gone or expired is absent.
   */
  async ofAll(
    secrets: readonly string[],
    userIds: readonly string[],
  ): Promise<{ bySecret: ReadonlyMap<string, Principal>; byUser: ReadonlyMap<string, Principal> }> {
    const now = this.clock.now();
    const [keys, users, roles] = await Promise.all([
      this.apiKeys.findByHashes(secrets.map(hashOfSecret)),
      this.users.findAll(userIds),
      this.members.rolesOfAll(userIds),
    ]);
    const valid = keys.filter((key) => !isExpired(key, now));
    await this.recordUses(valid, now);
    const byHash = new Map(valid.map((key) => [key.hash, keyPrincipal(key)]));
    const bySecret = new Map<string, Principal>();
    for (const secret of secrets) {
      const principal = byHash.get(hashOfSecret(secret));
      if (principal) bySecret.set(secret, principal);
    }
    const byUser = new Map(users.map((user) => [user.id, userPrincipal(user, roles.get(user.id) ?? new Map())]));
    return { bySecret, byUser };
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

  private async recordUses(keys: readonly ApiKey[], now: Date): Promise<void> {
    const unrecorded = keys.map(({ id }) => id).filter((id) => !this.recordedUses.has(id));
    if (unrecorded.length === 0) return;
    for (const id of unrecorded) this.recordedUses.set(id, true);
    await this.apiKeys.markUsed(unrecorded, now);
  }
}

const isExpired = ({ expiresAt }: ApiKey, now: Date): boolean => expiresAt !== null && expiresAt <= now;

function keyPrincipal(key: ApiKey): Principal {
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

/** An administrator of the platform has a role in every project, whatever the memberships. */
function userPrincipal(user: User, memberships: ReadonlyMap<string, ProjectRole>): Principal {
  const platformAdmin = user.platformRole === 'ADMIN';
  const roles: ProjectRoles = platformAdmin ? 'ADMIN' : memberships;
  return { kind: 'user', userId: user.id, platformAdmin, roles, projectIds: projectsWithRole({ roles }) };
}
