import { AuthenticationError, InvalidRequestError, type Principal } from '@millrace/domain';
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

  private async principalOf(token: string): Promise<Principal> {
    if (token.startsWith('sk-')) return this.principals.ofApiKey(token);
    if (this.issuerUsers.decidesOn(token)) return this.principals.of(await this.issuerUsers.userOf(token));
    const principal = await this.principals.ofUser(await this.tokens.userOf(token));
    if (!principal) throw new AuthenticationError();
    return principal;
  }
}

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
