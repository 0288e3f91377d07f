import {
  admitSignIn,
  AuditLog,
  Clock,
  InvalidCredentialsError,
  normalizedEmail,
  SignInAttempts,
  UserRepository,
  type User,
} from '@millrace/domain';
import { networkOf } from '@millrace/http';
import { Injectable } from '@nestjs/common';
import { isPasswordOf } from './passwords';
import { Sessions, type SignedIn } from './sessions';
import { TurnsByName } from './turns';

// An attempt counts as a failure until its outcome is known, so that nobody gets more guesses by making them at once.
// Right ones that come at once would then refuse each other. So few are under way at a time, far below the limits, and
// the others wait. Each process has its own turns: ten processes together reach the limits.

const OF_ACCOUNT = { atOnce: 1, mostWaiting: 50, waitMs: 10_000 };
const OF_NETWORK = { atOnce: 10, mostWaiting: 500, waitMs: 10_000 };

@Injectable()
export class AuthenticationService {
  private readonly ofAccount = new TurnsByName(OF_ACCOUNT);
  private readonly ofNetwork = new TurnsByName(OF_NETWORK);

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
    const network = networkOf(address);
    const check = () => this.check(account, password, { address, network });
    // Who waits for the turn of an account has none of the network, so that one account keeps no other waiting.
    const user = await this.ofAccount.take(JSON.stringify([account, network]), () =>
      this.ofNetwork.take(network, check),
    );
    return this.sessions.start(user);
  }

  private async check(account: string, password: string, from: { address: string; network: string }): Promise<User> {
    const attempt = await admitSignIn(this.attempts, account, from.network, this.clock.now());
    const user = await this.users.findByEmail(account);
    const matches = await isPasswordOf(user?.passwordHash ?? null, password);
    // The log names users alone: what stands in place of an e-mail address may be a password.
    if (user) await this.record(user.id, from.address, matches);
    if (!user || !matches) throw new InvalidCredentialsError();
    await attempt.succeeded();
    return user;
  }

  private async record(userId: string, address: string, matches: boolean): Promise<void> {
    const action = matches ? 'user.signed_in' : 'user.sign_in_refused';
    const actor = matches ? userId : 'anonymous';
    const event = { projectId: null, action, targetType: 'user', targetId: userId, details: {} } as const;
    await this.audit.record(event, { actor, address });
  }
}
