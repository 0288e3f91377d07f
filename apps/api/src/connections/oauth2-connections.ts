import {
  AUTHORIZATION_SECONDS,
  authorizationUrl,
  Clock,
  InvalidRequestError,
  OAuth2Refusal,
  PendingAuthorizations,
  principalName,
  randomToken,
  signInParameters,
  TokenEndpoint,
  type AuthorizationRequest,
  type OAuth2Client,
  type OAuth2Tokens,
  type OAuth2Value,
  type PendingAuthorization,
  type Principal,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { PieceSignIns } from '../pieces/piece-sign-ins';
import type { AuthorizationUrlDto, AuthorizationUrlRequestDto } from './authorization-url.dto';
import type { OAuth2Request } from './connection-request';

/** The piece for which a connection is made, if it is made for one. */
export interface PieceOfConnection {
  readonly pieceName: string | null;
  readonly pieceVersion: string | null;
}

/** Connects to providers by OAuth 2.0: begins authorizations, and gets the first tokens. */
@Injectable()
export class OAuth2Connections {
  constructor(
    private readonly authorizations: PendingAuthorizations,
    private readonly endpoint: TokenEndpoint,
    private readonly access: ProjectAccess,
    private readonly signIns: PieceSignIns,
    private readonly clock: Clock,
  ) {}

  async begin(principal: Principal, body: AuthorizationUrlRequestDto): Promise<AuthorizationUrlDto> {
    const projectId = await this.access.projectOf(principal, body.projectId);
    const [state, codeVerifier] = [randomToken(), randomToken()];
    const { request, client } = await this.requestOf(projectId, body);
    await this.authorizations.insert({
      state,
      principal: principalName(principal),
      projectId,
      clientId: request.clientId,
      redirectUrl: request.redirectUrl,
      codeVerifier: request.pkce === null ? null : codeVerifier,
      ...(client && { client }),
      expires: new Date(this.clock.now().getTime() + AUTHORIZATION_SECONDS * 1_000),
    });
    return { authorizationUrl: authorizationUrl(request, state, codeVerifier), state };
  }

  /** Gets the tokens of a new connection. Throws InvalidRequestError, also when the provider refuses. */
  async connect(
    principal: Principal,
    projectId: string,
    request: OAuth2Request,
    piece: PieceOfConnection,
  ): Promise<OAuth2Value> {
    const { code, grant_type: grant } = request;
    try {
      if (grant === 'client_credentials')
        return await this.ownTokens(projectId, await this.clientOf(projectId, request, piece));
      if (code === null && piece.pieceName === null) namedClient(request); // says what else is missing
      if (code === null) throw invalid('code', 'is required: send the person to the authorization URL for it.');
      return await this.exchange(principal, projectId, { ...request, code });
    } catch (error) {
      if (!(error instanceof OAuth2Refusal)) throw error;
      throw invalid(code === null ? 'client_id' : 'code', `was refused. ${error.message}`);
    }
  }

  /** What the authorization URL must have. With a piece there is a client, of which the secret may still be missing. */
  private async requestOf(
    projectId: string,
    body: AuthorizationUrlRequestDto,
  ): Promise<{ request: AuthorizationRequest; client?: OAuth2Client }> {
    const { client_id: clientId, authorization_url: url, redirect_url: redirectUrl, scope = '', pieceName } = body;
    assertUrls(body);
    if (pieceName === undefined) {
      const request = { authorizationUrl: needed(url, 'authorization_url'), redirectUrl, scope, pkce: 'S256' } as const;
      return { request: { ...request, clientId: needed(clientId, 'client_id') } };
    }
    const { client, signIn } = await this.signIns.begin({
      ...{ projectId, pieceName, pieceVersion: body.pieceVersion ?? null, props: body.props ?? {}, at: '' },
      ...{ clientId: clientId ?? null, clientSecret: '', redirectUrl, grantType: 'authorization_code' },
    });
    const request = {
      ...{ authorizationUrl: client.authorization_url ?? '', clientId: client.client_id, redirectUrl },
      ...{ scope: client.scope, pkce: signIn.pkce, parameters: signInParameters(signIn) },
    };
    return { request, client };
  }

  private async ownTokens(projectId: string, client: OAuth2Client): Promise<OAuth2Value> {
    return { type: 'OAUTH2', ...client, ...(await this.endpoint.ownTokens(projectId, client, this.clock.now())) };
  }

  /** The client of a request that names one, or of its piece. */
  private async clientOf(
    projectId: string,
    request: OAuth2Request,
    { pieceName, pieceVersion }: PieceOfConnection,
  ): Promise<OAuth2Client> {
    if (request.token_url !== null || pieceName === null) return namedClient(request);
    const { client_id: clientId, client_secret: clientSecret, redirect_url: redirectUrl, props } = request;
    return (
      await this.signIns.begin({
        ...{
          projectId,
          pieceName,
          pieceVersion,
          clientId,
          clientSecret,
          redirectUrl,
          props: props ?? {},
          at: '/value',
        },
        grantType: request.grant_type,
      })
    ).client;
  }

  /** Exchanges the code, with the verifier that is given or that belongs to the state. Throws OAuth2Refusal. */
  private async exchange(principal: Principal, projectId: string, request: CodeRequest): Promise<OAuth2Value> {
    const { code, state, code_verifier: given } = request;
    const tokensOf = (client: OAuth2Client, codeVerifier: string | null) =>
      this.endpoint.exchange(projectId, client, { code, codeVerifier }, this.clock.now());
    if (given !== null) {
      const client = namedClient(request);
      return { type: 'OAUTH2', ...client, ...(await tokensOf(client, given)) };
    }
    if (state === null) throw invalid('state', 'is required with a code, unless code_verifier is given.');
    const { begun, client } = await this.claimed(principal, projectId, { ...request, state });
    const tokens = await this.ending(state, () => tokensOf(client, begun.codeVerifier));
    return { type: 'OAUTH2', ...client, ...tokens };
  }

  /**
   * Claims the authorization that the state names. A state of another user, project or client is as one unknown, and
   * stays as it is: otherwise a mistake, or anybody who has seen the state, would end it for the person who began it.
   */
  private async claimed(
    principal: Principal,
    projectId: string,
    request: CodeRequest & { state: string },
  ): Promise<{ begun: PendingAuthorization; client: OAuth2Client }> {
    const { state } = request;
    const now = this.clock.now();
    const begun = await this.authorizations.find(state, now);
    if (begun?.principal === principalName(principal) && begun.projectId === projectId && fits(begun, request)) {
      const client = begun.client ? withSecret(begun.client, request) : namedClient(request);
      if (await this.authorizations.claim(state, now)) return { begun, client };
    }
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

/** Whether the request is of the client that began. After a sign-in for a piece it need not name that. */
function fits({ clientId, redirectUrl, client }: PendingAuthorization, request: CodeRequest): boolean {
  const isSame = (given: string | null, begun: string) => given === begun || (client !== undefined && given === null);
  return isSame(request.client_id, clientId) && isSame(request.redirect_url, redirectUrl);
}

/** The secret of a person's own client comes with the code. */
const withSecret = (client: OAuth2Client, { client_secret: secret }: OAuth2Request): OAuth2Client =>
  client.client_secret === '' ? { ...client, client_secret: secret } : client;

/** The client that the request itself names. */
function namedClient(request: OAuth2Request): OAuth2Client {
  const { client_id, client_secret, authorization_url, scope, redirect_url, grant_type, authorization_method } =
    request;
  const { token_url, props } = request;
  if (client_id === null) throw invalid('client_id', 'is required.');
  if (token_url === null) throw invalid('token_url', 'is required.');
  const client = { client_id, client_secret, authorization_url, token_url, scope, redirect_url };
  return { ...client, grant_type, authorization_method, ...(props && { props }) };
}

function needed(value: string | undefined, name: string): string {
  if (value !== undefined) return value;
  throw new InvalidRequestError([{ path: `/${name}`, message: 'is required without a piece.' }]);
}

function assertUrls(body: AuthorizationUrlRequestDto): void {
  const wrong = (['authorization_url', 'redirect_url'] as const).filter((name) => {
    const url = body[name];
    return url !== undefined && !isHttpUrl(url);
  });
  const message = 'must be an http or https URL.';
  if (wrong.length > 0) throw new InvalidRequestError(wrong.map((name) => ({ path: `/${name}`, message })));
}

const isHttpUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const invalid = (member: string, message: string): InvalidRequestError =>
  new InvalidRequestError([{ path: `/value/${member}`, message }]);
