import {
  admitSignIn,
  Clock,
  normalizedEmail,
  ProjectRepository,
  SignInAttempts,
  SignUpDisabledError,
  UserInvitationRepository,
  UserRepository,
  type PlatformRole,
  type Project,
  type User,
} from '@millrace/domain';
import { networkOf } from '@millrace/http';
import { newId } from '@millrace/persistence';
import { Inject, Injectable } from '@nestjs/common';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { FIRST_PROJECT } from './first-administrator';
import { hashPassword } from './passwords';
import { hashOfSecret } from './secret-tokens';
import { Sessions, type SignedIn } from './sessions';
import type { NewUserDto } from './sign-in.dto';

/**
 * Makes users at their own request. The first one becomes the administrator of the platform. Later ones need an
 * invitation, unless the settings open sign-up to everyone.
 */
@Injectable()
export class SignUpService {
  constructor(
    private readonly users: UserRepository,
    private readonly projects: ProjectRepository,
    private readonly invitations: UserInvitationRepository,
    private readonly attempts: SignInAttempts,
    private readonly sessions: Sessions,
    private readonly clock: Clock,
    @Inject(API_SETTINGS) private readonly settings: Pick<ApiSettings, 'SVC_SIGN_UP_ENABLED'>,
  ) {}

  async signUp(request: NewUserDto, invitationToken: string | null, address: string): Promise<SignedIn> {
    // Signing up tells whether an address is taken, and hashes a password, so it counts as a guess.
    const account = normalizedEmail(request.email);
    const attempt = await admitSignIn(this.attempts, account, networkOf(address), this.clock.now());
    const user = await (invitationToken === null
      ? this.withoutInvitation(request)
      : this.invited(request, invitationToken));
    await attempt.succeeded();
    return this.sessions.start(user);
  }

  private async invited(request: NewUserDto, token: string): Promise<User> {
    const user = await this.newUser(request, 'MEMBER');
    await this.invitations.accept(hashOfSecret(token), { kind: 'new user', user }, this.clock.now());
    return user;
  }

  private async withoutInvitation(request: NewUserDto): Promise<User> {
    const isFirst = !(await this.users.existAny());
    const isOpen = this.settings.SVC_SIGN_UP_ENABLED;
    if (!isFirst && !isOpen) throw new SignUpDisabledError();
    const administrator = await this.newUser(request, 'ADMIN');
    if (isFirst && (await this.users.insertFirst(administrator))) {
      await this.projects.insert(this.projectOf(administrator));
      return administrator;
    }
    if (!isOpen) throw new SignUpDisabledError();
    const user: User = { ...administrator, platformRole: 'MEMBER' };
    await this.users.insert(user);
    await this.projects.insert(this.projectOf(user));
    return user;
  }

  private async newUser({ email, password, ...names }: NewUserDto, platformRole: PlatformRole): Promise<User> {
    const { firstName, lastName } = names;
    const passwordHash = await hashPassword(password);
    return { id: newId(), email, firstName, lastName, platformRole, passwordHash, created: this.clock.now() };
  }

  private projectOf({ id: ownerId }: User): Project {
    const now = this.clock.now();
    return { id: newId(), displayName: FIRST_PROJECT, ownerId, created: now, updated: now };
  }
}
