import {
  AUTHORIZATION_SECONDS,
  authorizationUrl,
  Clock,
  InvalidRequestError,
  OAuth2Refusal,
  PendingAuthorizations,
  principalName,
  randomToken,
  TokenEndpoint,
  type OAuth2Tokens,
  type OAuth2Value,
  type Principal,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import type { AuthorizationUrlDto, AuthorizationUrlRequestDto } from './authorization-url.dto';
import type { OAuth2Request } from './connection-request';

/** Connects to providers by OAuth 2.0: begins authorizations, and gets the first tokens. */
@Injectable()
export class OAuth2Connections {
  constructor(
    private readonly authorizations: PendingAuthorizations,
    private readonly endpoint: TokenEndpoint,
    private readonly access: ProjectAccess,
    private readonly clock: Clock,
  ) {}

  async begin(principal: Principal, body: AuthorizationUrlRequestDto): Promise<AuthorizationUrlDto> {
    const projectId = await this.access.projectOf(principal, body.projectId);
    assertUrls(body);
    const [state, codeVerifier] = [randomToken(), randomToken()];
    const { client_id: clientId, redirect_url: redirectUrl, scope = '' } = body;
    await this.authorizations.insert({
      state,
      principal: principalName(principal),
      projectId,
      clientId,
      redirectUrl,
      codeVerifier,
      expires: new Date(this.clock.now().getTime() + AUTHORIZATION_SECONDS * 1_000),
    });
    const request = { authorizationUrl: body.authorization_url, clientId, redirectUrl, scope };
    return { authorizationUrl: authorizationUrl(request, state, codeVerifier), state };
  }

  /** Gets the tokens of a new connection. Throws InvalidRequestError, also when the provider refuses. */
  async connect(principal: Principal, projectId: string, request: OAuth2Request): Promise<OAuth2Value> {
    const { code, state: _state, code_verifier: _verifier, ...client } = request;
    try {
      if (client.grant_type === 'client_credentials')
        return { ...client, ...(await this.endpoint.ownTokens(projectId, client, this.clock.now())) };
      if (code === null) throw invalid('code', 'is required: send the person to the authorization URL for it.');
      return { ...client, ...(await this.exchange(principal, projectId, { ...request, code })) };
    } catch (error) {
      if (!(error instanceof OAuth2Refusal)) throw error;
      throw invalid(code === null ? 'client_id' : 'code', `was refused. ${error.message}`);
    }
  }

  /** Exchanges the code, with the verifier that is given or that belongs to the state. Throws OAuth2Refusal. */
  private async exchange(principal: Principal, projectId: string, request: CodeRequest): Promise<OAuth2Tokens> {
    const { code, state, code_verifier: given, ...client } = request;
    const withVerifier = (codeVerifier: string) =>
      this.endpoint.exchange(projectId, client, { code, codeVerifier }, this.clock.now());
    if (given !== null) return withVerifier(given);
    if (state === null) throw invalid('state', 'is required with a code, unless code_verifier is given.');
    const codeVerifier = await this.verifierOf(principal, projectId, { ...request, state });
    return this.ending(state, () => withVerifier(codeVerifier));
  }

  /**
   * Claims the authorization that the state names. A state of another user, project or client is as one unknown, and
   * stays as it is: otherwise a mistake, or anybody who has seen the state, would end it for the person who began it.
   */
  private async verifierOf(
    principal: Principal,
    projectId: string,
    { state, client_id: clientId, redirect_url: redirectUrl }: OAuth2Request & { state: string },
  ): Promise<string> {
    const now = this.clock.now();
    const begun = await this.authorizations.find(state, now);
    const fits =
      begun?.principal === principalName(principal) &&
      begun.projectId === projectId &&
      begun.clientId === clientId &&
      begun.redirectUrl === redirectUrl;
    if (fits && (await this.authorizations.claim(state, now))) return begun.codeVerifier;
    throw invalid('state', 'is not of an authorization that you have begun here, or was used, or has expired.');
  }

  /**
   * Ends the authorization with the exchange of its code, or when the provider says that the code is no good. After any
   * other failure, such as a wrong secret of the client, it may be tried again.
   */
  private async ending(state: string, exchange: () => Promise<OAuth2Tokens>): Promise<OAuth2Tokens> {
    let isOver = false;
    try {
      const tokens = await exchange();
      isOver = true;
      return tokens;
    } catch (error) {
      isOver = error instanceof OAuth2Refusal && error.endsAuthorization;
      throw error;
    } finally {
      await (isOver ? this.authorizations.remove(state) : this.authorizations.release(state));
    }
  }
}

type CodeRequest = OAuth2Request & { code: string };

function assertUrls(body: AuthorizationUrlRequestDto): void {
  const wrong = (['authorization_url', 'redirect_url'] as const).filter((name) => !isHttpUrl(body[name]));
  const message = 'must be an http or https URL.';
  if (wrong.length > 0) throw new InvalidRequestError(wrong.map((name) => ({ path: `/${name}`, message })));
}

const isHttpUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const invalid = (member: string, message: string): InvalidRequestError =>
  new InvalidRequestError([{ path: `/value/${member}`, message }]);
