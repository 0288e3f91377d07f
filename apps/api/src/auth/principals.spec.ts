import {
  CallTokens,
  type ApiKey,
  type ApiKeyRepository,
  type ProjectMemberRepository,
  type User,
  type UserRepository,
} from '@millrace/domain';
import { HandDrivenClock } from '@millrace/domain/testing';
import { Principals } from './principals';
import { hashOfSecret, newApiKeySecret } from './secret-tokens';

describe('Principals', () => {
  const now = new Date('2026-01-01T12:00:00.000Z');
  const clock = new HandDrivenClock(now);
  const secret = newApiKeySecret();
  const tokens = new CallTokens(async () => Buffer.alloc(32, 1));
  const aKey = (more: Partial<ApiKey> = {}): ApiKey => ({
    id: 'key',
    displayName: 'Key',
    projectId: 'p1',
    role: 'EDITOR',
    createdBy: 'ann',
    madeByKeyId: null,
    hash: hashOfSecret(secret),
    lastFour: 'abcd',
    expiresAt: null,
    lastUsedAt: null,
    created: now,
    ...more,
  });

  /** `stored` is what the database has; a test may change it as another process does. */
  function principals(stored: { key: ApiKey | null; users?: Partial<User>[] }): Principals {
    const users = {
      find: (id: string) => Promise.resolve(stored.users?.find((user) => user.id === id) ?? null),
      findAll: (ids: string[]) => Promise.resolve(stored.users?.filter(({ id = '' }) => ids.includes(id)) ?? []),
    };
    const roles = new Map([['p1', 'VIEWER']]);
    const members = {
      rolesOf: () => Promise.resolve(roles),
      rolesOfAll: (ids: string[]) => Promise.resolve(new Map(ids.map((id) => [id, roles]))),
    };
    const keys = {
      findByHash: (hash: string) => Promise.resolve(stored.key?.hash === hash ? stored.key : null),
      findByHashes: (hashes: string[]) =>
        Promise.resolve(stored.key && hashes.includes(stored.key.hash) ? [stored.key] : []),
      markUsed: () => Promise.resolve(),
    };
    return new Principals(
      users as unknown as UserRepository,
      members as unknown as ProjectMemberRepository,
      keys as unknown as ApiKeyRepository,
      clock,
      tokens,
    );
  }

  it('gives the package of a token nothing but its project', async () => {
    const projectId = '0198f3a0-0000-7000-8000-000000000001';
    const token = await tokens.issue(projectId, clock.now());

    expect(await principals({ key: null }).ofPackage(token)).toMatchObject({
      ...{ kind: 'package', platformAdmin: false, roles: new Map([[projectId, 'VIEWER']]), projectIds: [projectId] },
    });
    await expect(principals({ key: null }).ofPackage(`${token}x`)).rejects.toMatchObject({
      code: 'INVALID_BEARER_TOKEN',
    });
  });

  it.each([
    ['of a project', {}, { roles: new Map([['p1', 'EDITOR']]), projectIds: ['p1'], platformAdmin: false }],
    ['of the platform', { projectId: null, role: 'ADMIN' }, { roles: 'ADMIN', projectIds: 'any', platformAdmin: true }],
    [
      'of the platform with a lower role',
      { projectId: null, role: 'VIEWER' },
      { roles: 'VIEWER', projectIds: 'any', platformAdmin: false },
    ],
  ] as const)('gives a key %s its role and no more', async (_what, more, expected) => {
    expect(await principals({ key: aKey(more) }).ofApiKey(secret)).toMatchObject({ ...expected, apiKeyId: 'key' });
  });

  it('gives a user the roles of now, and an administrator all', async () => {
    const known = principals({ key: null, users: [{ id: 'ann' }, { id: 'root', platformRole: 'ADMIN' }] });
    expect(await known.ofUser('ann')).toMatchObject({ projectIds: ['p1'], platformAdmin: false });
    expect(await known.ofUser('root')).toMatchObject({ projectIds: 'any', roles: 'ADMIN', platformAdmin: true });
    expect(await known.ofUser('deleted')).toBeNull();
  });

  it('gives many credentials the same as one alone, as they are now', async () => {
    const stored: Parameters<typeof principals>[0] = {
      key: aKey(),
      users: [{ id: 'ann' }, { id: 'root', platformRole: 'ADMIN' }],
    };
    const known = principals(stored);
    const { bySecret, byUser } = await known.ofAll([secret, newApiKeySecret()], ['ann', 'root', 'deleted']);
    expect([...bySecret]).toEqual([[secret, await known.ofApiKey(secret)]]);
    expect([...byUser]).toEqual([
      ['ann', await known.ofUser('ann')],
      ['root', await known.ofUser('root')],
    ]);

    stored.key = aKey({ expiresAt: now });
    expect((await known.ofAll([secret], [])).bySecret.size).toBe(0);
    stored.key = null;
    expect((await known.ofAll([secret], [])).bySecret.size).toBe(0);
  });

  it('refuses a key that has expired, though it is cached', async () => {
    const known = principals({ key: aKey({ expiresAt: new Date(now.getTime() + 1_000) }) });
    expect(await known.ofApiKey(secret)).toMatchObject({ apiKeyId: 'key' });
    clock.advance(1_000);
    await expect(known.ofApiKey(secret)).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
  });

  it('refuses a revoked key at once where that was done, and within 2 seconds elsewhere', async () => {
    const stored: { key: ApiKey | null } = { key: aKey() };
    const [here, elsewhere] = [principals(stored), principals(stored)];
    await Promise.all([here.ofApiKey(secret), elsewhere.ofApiKey(secret)]);
    stored.key = null;
    here.forgetKeys();

    await expect(here.ofApiKey(secret)).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
    clock.advance(2_001);
    await expect(elsewhere.ofApiKey(secret)).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
  });
});
