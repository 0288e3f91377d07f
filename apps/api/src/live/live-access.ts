import {
  AuthenticationError,
  DomainError,
  InvalidApiKeyError,
  InvalidRequestError,
  ServiceUnavailableError,
  type Principal,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { AccessTokens } from '../auth/access-tokens';
import { Principals } from '../auth/principals';
import { ProjectAccess } from '../auth/project-access';
import { IssuerUsers } from '../issuer/issuer-users';

/** Who is connected, and to which project. */
export interface LiveSession {
  readonly token: string;
  readonly projectId: string;
  /** As the last check of the token found it. */
  principal: Principal;
}

const LONGEST_TOKEN = 8_192;

/** Finds out who a live client is and which project it may see, by the rules of the REST API. */
@Injectable()
export class LiveAccess {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly principals: Principals,
    private readonly access: ProjectAccess,
    private readonly issuerUsers: IssuerUsers,
  ) {}

  /** Reads what the client sent to connect. Throws the errors that a request with this token would get. */
  async open(auth: unknown): Promise<LiveSession> {
    const { token, projectId } = credentialsIn(auth);
    const principal = await this.principalOf(token);
    return { token, principal, projectId: await this.access.projectOf(principal, projectId) };
  }

  /** Checks the token and the project again. Throws as `open` does. */
  async check(session: LiveSession): Promise<void> {
    const principal = await this.principalOf(session.token);
    await this.access.assertPermitted(principal, session.projectId);
    session.principal = principal;
  }

  /**
   * Checks many sessions by a few statements. Returns why those do not hold any more that `check` would refuse; one that
   * cannot be checked now holds. Rejects when none can be checked.
   */
  async checkAll(sessions: readonly LiveSession[]): Promise<ReadonlyMap<LiveSession, DomainError>> {
    const refused = new Map<LiveSession, DomainError>();
    const found: { session: LiveSession; principal: Principal }[] = [];
    const principals = await this.principalsOf(sessions.map(({ token }) => token));
    for (const session of sessions) {
      const principal = principals.get(session.token);
      if (principal instanceof DomainError) refused.set(session, principal);
      else if (principal) found.push({ session, principal });
    }
    const uses = found.map(({ session, principal }) => ({ principal, projectId: session.projectId }));
    const refusals = await this.access.refusalsOf(uses);
    found.forEach(({ session, principal }, index) => {
      const refusal = refusals[index];
      if (refusal) refused.set(session, refusal);
      else session.principal = principal;
    });
    return refused;
  }

  /** Returns for each token its principal, or why it does not hold. One that cannot be checked now is absent. */
  private async principalsOf(tokens: readonly string[]): Promise<ReadonlyMap<string, Principal | DomainError>> {
    const secrets = tokens.filter(isApiKey);
    const others = [...new Set(tokens.filter((token) => !isApiKey(token)))];
    const users = await Promise.all(others.map((token) => this.userOf(token)));
    const userIds = users.filter((user) => typeof user === 'string');
    const { bySecret, byUser } = await this.principals.ofAll(secrets, [...new Set(userIds)]);
    const found = new Map<string, Principal | DomainError>();
    for (const secret of secrets) found.set(secret, bySecret.get(secret) ?? new InvalidApiKeyError());
    others.forEach((token, index) => {
      const user = users[index] ?? null;
      if (user !== null)
        found.set(token, typeof user === 'string' ? (byUser.get(user) ?? new AuthenticationError()) : user);
    });
    return found;
  }

  /** Returns the id of a token's user, why the token does not hold, or null when that cannot be found out now. */
  private async userOf(token: string): Promise<string | DomainError | null> {
    try {
      if (this.issuerUsers.decidesOn(token)) return (await this.issuerUsers.userOf(token)).id;
      return await this.tokens.userOf(token);
    } catch (error) {
      if (error instanceof ServiceUnavailableError) return null;
      if (error instanceof DomainError) return error;
      throw error;
    }
  }

  private async principalOf(token: string): Promise<Principal> {
    if (isApiKey(token)) return this.principals.ofApiKey(token);
    if (this.issuerUsers.decidesOn(token)) return this.principals.of(await this.issuerUsers.userOf(token));
    const principal = await this.principals.ofUser(await this.tokens.userOf(token));
    if (!principal) throw new AuthenticationError();
    return principal;
  }
}

const isApiKey = (token: string): boolean => token.startsWith('sk-');

function credentialsIn(auth: unknown): { token: string; projectId: string | undefined } {
  const { token, projectId, ...others } = (auth ?? {}) as Record<string, unknown>;
  if (token === undefined) throw new AuthenticationError();
  const problems = [
    ...(typeof token === 'string' && token.length <= LONGEST_TOKEN
      ? []
      : [{ path: '/token', message: 'must be text.' }]),
    ...(projectId === undefined || typeof projectId === 'string'
      ? []
      : [{ path: '/projectId', message: 'must be the id of a project.' }]),
    ...Object.keys(others).map((name) => ({ path: `/${name}`, message: 'is unknown.' })),
  ];
  if (problems.length > 0) throw new InvalidRequestError(problems);
  return { token: token as string, projectId: projectId as string | undefined };
}
