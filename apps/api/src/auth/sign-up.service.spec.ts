import {
  EntityNotFoundError,
  SignUpDisabledError,
  type Project,
  type ProjectRepository,
  type User,
  type UserInvitationRepository,
  type UserRepository,
} from '@millrace/domain';
import { HandDrivenClock, InMemorySignInAttempts } from '@millrace/domain/testing';
import type { Sessions } from './sessions';
import { SignUpService } from './sign-up.service';

const request = { email: 'Ada@millrace.test', password: 'correct horse', firstName: 'Ada', lastName: 'Lovelace' };

function aSignUpService(settings: { SVC_SIGN_UP_ENABLED: boolean }, existing: User[] = []) {
  const users = [...existing];
  const projects: Project[] = [];
  const insert = (user: User) => Promise.resolve(void users.push(user));
  const userRepository = {
    existAny: () => Promise.resolve(users.length > 0),
    insert,
    insertFirst: async (user: User) => users.length === 0 && (await insert(user), true),
  } as unknown as UserRepository;
  const accept = () => Promise.reject(EntityNotFoundError.byToken('user_invitation'));
  const service = new SignUpService(
    userRepository,
    { insert: (project: Project) => Promise.resolve(void projects.push(project)) } as unknown as ProjectRepository,
    { accept } as unknown as UserInvitationRepository,
    new InMemorySignInAttempts(),
    { start: (user: User) => Promise.resolve(user) } as unknown as Sessions,
    new HandDrivenClock(),
    settings,
  );
  return { users, projects, signUp: (token: string | null = null) => service.signUp(request, token, '::1') };
}

describe('signing up', () => {
  const closed = { SVC_SIGN_UP_ENABLED: false };
  const open = { SVC_SIGN_UP_ENABLED: true };
  const someone = { id: 'someone' } as User;

  it.each([closed, open])('makes the first user the administrator, with a project (%p)', async (settings) => {
    const { users, projects, signUp } = aSignUpService(settings);
    await signUp();
    expect(users).toMatchObject([{ email: 'Ada@millrace.test', platformRole: 'ADMIN' }]);
    expect(projects).toMatchObject([{ ownerId: users[0]?.id }]);
  });

  it('needs an invitation after that', async () => {
    const { users, signUp } = aSignUpService(closed, [someone]);
    await expect(signUp()).rejects.toBeInstanceOf(SignUpDisabledError);
    await expect(signUp('inv-unknown')).rejects.toBeInstanceOf(EntityNotFoundError);
    expect(users).toEqual([someone]);
  });

  it('makes a member with an own project where it is open', async () => {
    const { users, projects, signUp } = aSignUpService(open, [someone]);
    await signUp();
    expect(users[1]).toMatchObject({ platformRole: 'MEMBER' });
    expect(projects).toMatchObject([{ ownerId: users[1]?.id }]);
  });
});
