import { Clock, InvalidCredentialsError, ProjectMemberRepository, UserRepository } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { AccessTokens } from './access-tokens';
import { AttemptLimit } from './attempt-limit';
import { isPasswordOf } from './passwords';
import type { SignedInDto } from './sign-in.dto';

const WINDOW_SECONDS = 15 * 60;

@Injectable()
export class AuthenticationService {
  private readonly perAccount = new AttemptLimit(10, WINDOW_SECONDS);
  private readonly perAddress = new AttemptLimit(100, WINDOW_SECONDS);

  constructor(
    private readonly users: UserRepository,
    private readonly members: ProjectMemberRepository,
    private readonly tokens: AccessTokens,
    private readonly clock: Clock,
  ) {}

  /** Signs a user in. An unknown user and a wrong password get the same answer after the same time. */
  async signIn(email: string, password: string, address: string): Promise<SignedInDto> {
    this.perAddress.count(address, this.clock.now());
    const account = email.trim().toLowerCase();
    this.perAccount.count(account, this.clock.now());
    const user = await this.users.findByEmail(account);
    const matches = await isPasswordOf(user?.passwordHash ?? null, password);
    if (!user || !matches) throw new InvalidCredentialsError();
    this.perAccount.forget(account);
    const [projectId = null] = (await this.members.rolesOf(user.id)).keys();
    const { id, firstName, lastName, platformRole } = user;
    return {
      id,
      email: user.email,
      firstName,
      lastName,
      platformRole,
      projectId,
      token: await this.tokens.issue(user),
    };
  }
}
