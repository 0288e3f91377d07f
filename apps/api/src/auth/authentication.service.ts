import {
  admitSignIn,
  AuditLog,
  Clock,
  InvalidCredentialsError,
  normalizedEmail,
  SignInAttempts,
  UserRepository,
} from '@millrace/domain';
import { networkOf } from '@millrace/http';
import { Injectable } from '@nestjs/common';
import { isPasswordOf } from './passwords';
import { Sessions, type SignedIn } from './sessions';

@Injectable()
export class AuthenticationService {
  constructor(
    private readonly users: UserRepository,
    private readonly attempts: SignInAttempts,
    private readonly sessions: Sessions,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** Signs a user in. An unknown user and a wrong password get the same answer after the same time. */
  async signIn(email: string, password: string, address: string): Promise<SignedIn> {
    const account = normalizedEmail(email.trim());
    const attempt = await admitSignIn(this.attempts, account, networkOf(address), this.clock.now());
    const user = await this.users.findByEmail(account);
    const matches = await isPasswordOf(user?.passwordHash ?? null, password);
    // The log names users alone: what stands in place of an e-mail address may be a password.
    if (user) await this.record(user.id, address, matches);
    if (!user || !matches) throw new InvalidCredentialsError();
    await attempt.succeeded();
    return this.sessions.start(user);
  }

  private async record(userId: string, address: string, matches: boolean): Promise<void> {
    const action = matches ? 'user.signed_in' : 'user.sign_in_refused';
    const actor = matches ? userId : 'anonymous';
    const event = { projectId: null, action, targetType: 'user', targetId: userId, details: {} } as const;
    await this.audit.record(event, { actor, address });
  }
}
