import {
  Clock,
  InvalidBearerTokenError,
  ProjectMemberRepository,
  SessionRepository,
  UserRepository,
  type User,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { AccessTokens } from './access-tokens';
import { hashOfSecret, newRefreshToken, refreshTokenAfter } from './secret-tokens';
import type { SignedInDto } from './sign-in.dto';

/** Who sends a request: its address, and the program as it calls itself. */
export interface Client {
  address: string;
  program: string;
}

/** A user with new tokens. */
export type SignedIn = SignedInDto & { refreshToken: string };

/** Starts, refreshes and ends the sessions of users (docs/adr/0057). */
@Injectable()
export class Sessions {
  private readonly secrets: readonly [string, ...string[]];

  constructor(
    private readonly sessions: SessionRepository,
    private readonly users: UserRepository,
    private readonly members: ProjectMemberRepository,
    private readonly tokens: AccessTokens,
    private readonly clock: Clock,
    @Inject(API_SETTINGS) settings: Pick<ApiSettings, 'SVC_JWT_SECRET' | 'SVC_JWT_PREVIOUS_SECRET'>,
  ) {
    const { SVC_JWT_SECRET: current, SVC_JWT_PREVIOUS_SECRET: previous } = settings;
    this.secrets = previous === undefined ? [current] : [current, previous];
  }

  async start(user: User): Promise<SignedIn> {
    const refreshToken = newRefreshToken();
    const tokenHash = hashOfSecret(refreshToken);
    await this.sessions.start({ id: newId(), userId: user.id, tokenHash, now: this.clock.now() });
    return this.signedIn(user, refreshToken);
  }

  /** Exchanges a refresh token. Throws InvalidBearerTokenError. */
  async refresh(token: string, client: Client): Promise<SignedIn> {
    const [current, ...previous] = this.secrets;
    const next = refreshTokenAfter(token, current);
    const others = previous.map((secret) => refreshTokenAfter(token, secret));
    const refreshed = await this.sessions.refresh({
      hash: hashOfSecret(token),
      nextHashes: [hashOfSecret(next), ...others.map(hashOfSecret)],
      client: createHash('sha256').update(`${client.address}\n${client.program}`).digest('hex'),
      now: this.clock.now(),
    });
    const user = refreshed && (await this.users.find(refreshed.userId));
    const refreshToken = [next, ...others].find((each) => hashOfSecret(each) === refreshed?.nextHash);
    if (!user || refreshToken === undefined) throw new InvalidBearerTokenError();
    return this.signedIn(user, refreshToken);
  }

  /** Ends the session of the token, if there is one. */
  end(token: string): Promise<void> {
    return this.sessions.end(hashOfSecret(token));
  }

  private async signedIn(user: User, refreshToken: string): Promise<SignedIn> {
    const { id, email, firstName, lastName, platformRole } = user;
    const [projectId = null] = (await this.members.rolesOf(id)).keys();
    const token = await this.tokens.issue(user);
    return { id, email, firstName, lastName, platformRole, projectId, token, refreshToken };
  }
}
