import type { ApiKey, ApiKeyRepository, Project, ProjectRepository, User, UserRepository } from '@millrace/domain';
import { HandDrivenClock } from '@millrace/domain/testing';
import { Logger } from '@nestjs/common';
import type { ApiSettings } from '../settings/config';
import { FirstAdministrator } from './first-administrator';

const SETTINGS = {
  SVC_ADMIN_EMAIL: 'root@millrace.test',
  SVC_ADMIN_PASSWORD: 'correct horse',
  SVC_ADMIN_API_KEY: `sk-${'k'.repeat(43)}`,
} as ApiSettings;

describe('the administrator of the settings', () => {
  beforeEach(() => jest.spyOn(Logger.prototype, 'log').mockImplementation());
  afterEach(() => jest.restoreAllMocks());

  /** A start of the api, with what the database has. */
  function start(stored: { users: User[]; projects: Project[]; keys: ApiKey[] }): Promise<void> {
    const users = {
      findByEmail: async (email: string) => stored.users.find((user) => user.email === email) ?? null,
      insert: (user: User) => Promise.resolve(void stored.users.push(user)),
    } as unknown as UserRepository;
    const projects = {
      insertFirst: (project: Project) => Promise.resolve(void stored.projects.push(project)),
    } as unknown as ProjectRepository;
    const keys = {
      findByHash: (hash: string) => Promise.resolve(stored.keys.find((key) => key.hash === hash) ?? null),
      insert: (key: ApiKey) => Promise.resolve(void stored.keys.push(key)),
    } as unknown as ApiKeyRepository;
    return new FirstAdministrator(SETTINGS, users, projects, keys, new HandDrivenClock()).onApplicationBootstrap();
  }

  it('is made at the first start, with a project and a platform key', async () => {
    const stored = { users: [], projects: [], keys: [] } as { users: User[]; projects: Project[]; keys: ApiKey[] };
    await start(stored);
    const [user] = stored.users;
    expect(stored).toMatchObject({
      users: [{ email: 'root@millrace.test', platformRole: 'ADMIN' }],
      projects: [{ ownerId: user?.id }],
      keys: [{ projectId: null, role: 'ADMIN', createdBy: user?.id, lastFour: 'kkkk' }],
    });
  });

  it('gets a project with a new id after the first one was deleted, so that nothing of that is seen again', async () => {
    const stored = { users: [] as User[], projects: [] as Project[], keys: [] as ApiKey[] };
    await start(stored);
    const [deleted] = stored.projects.splice(0);
    await start(stored);
    expect(stored.projects).toHaveLength(1);
    const ids = [stored.users[0]?.id, deleted?.id];
    expect(ids).not.toContain(stored.projects[0]?.id);
    expect(stored.users).toHaveLength(1);
    expect(stored.keys).toHaveLength(1);
  });

  it('is made when the database answers again that was silent during the start', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const stored = { users: [] as User[], projects: [] as Project[], keys: [] as ApiKey[] };
    const late = jest.spyOn(stored.users, 'find').mockImplementationOnce(() => {
      throw new Error('Query read timeout');
    });
    await start(stored);

    expect(stored.users).toHaveLength(1);
    expect(late.mock.calls.length).toBeGreaterThan(1);
    expect(warn).toHaveBeenCalledWith(
      expect.stringContaining('Waiting for the database (SVC_DATABASE_URL), to look for'),
    );
  });

  it('is refused when the settings name a user who is none', async () => {
    const member = { id: 'ann', email: 'root@millrace.test', platformRole: 'MEMBER' } as User;
    await expect(start({ users: [member], projects: [], keys: [] })).rejects.toThrow('SVC_ADMIN_EMAIL names a user');
  });
});
