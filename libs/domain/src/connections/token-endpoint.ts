import { isJsonObject } from '../json/json-reader';
import { OutboundFailure, OutboundHttp, type OutboundAnswer } from '../outbound/outbound-http';
import type { OAuth2Client, OAuth2Tokens, OAuth2Value } from './oauth2-value';

const TIMEOUT_MS = 10_000;
const MOST_ANSWER_BYTES = 256 * 1024;
const MOST_SHOWN = 200;
const MOST_SECONDS = 10 * 365 * 24 * 60 * 60;

/** Thrown when a token endpoint gives no tokens. The message is a sentence without any secret. */
export class OAuth2Refusal extends Error {
  override readonly name = 'OAuth2Refusal';
  /** True when the provider says that the code or refresh token is wrong, used or expired. */
  readonly endsAuthorization: boolean;

  constructor(
    message: string,
    /** True when only a person can mend it, by signing in again. False when a repetition may succeed. */
    readonly isFinal: boolean,
    options?: { cause?: unknown; error?: string },
  ) {
    super(message, options);
    this.endsAuthorization = options?.error === 'invalid_grant';
  }
}

/** What an authorization endpoint has given for tokens. */
export interface AuthorizationCode {
  code: string;
  codeVerifier: string | null;
}

/** Asks the token endpoint of a provider for tokens, as RFC 6749 says. */
export class TokenEndpoint {
  constructor(private readonly http: OutboundHttp) {}

  /** Exchanges the code of an authorization for tokens. Throws OAuth2Refusal. */
  exchange(projectId: string, client: OAuth2Client, { code, codeVerifier }: AuthorizationCode, now: Date) {
    const { redirect_url: redirect } = client;
    return this.ask(projectId, client, now, {
      grant_type: 'authorization_code',
      code,
      ...(redirect === null ? {} : { redirect_uri: redirect }),
      ...(codeVerifier === null ? {} : { code_verifier: codeVerifier }),
    });
  }

  /** Gets tokens by the client's own credentials. Throws OAuth2Refusal. */
  ownTokens(projectId: string, client: OAuth2Client, now: Date): Promise<OAuth2Tokens> {
    const { scope } = client;
    return this.ask(projectId, client, now, { grant_type: 'client_credentials', ...(scope ? { scope } : {}) });
  }

  /** Replaces the tokens. The old refresh token stays when none comes back. Throws OAuth2Refusal. */
  async refresh(projectId: string, value: OAuth2Value, now: Date): Promise<OAuth2Value> {
    if (value.grant_type === 'client_credentials')
      return { ...value, ...(await this.ownTokens(projectId, value, now)) };
    const { refresh_token: refresh } = value;
    if (refresh === null) throw new OAuth2Refusal('The provider gave no refresh token: connect it again.', true);
    const body = { grant_type: 'refresh_token', refresh_token: refresh };
    const tokens = await this.ask(projectId, value, now, body);
    const data = { ...value.data, ...tokens.data }; // not every provider tells again what it told at first
    return { ...value, ...tokens, data, refresh_token: tokens.refresh_token ?? refresh };
  }

  private async ask(
    projectId: string,
    client: OAuth2Client,
    now: Date,
    grant: Record<string, string>,
  ): Promise<OAuth2Tokens> {
    const answer = await this.send(projectId, client, grant);
    const body = bodyOf(answer);
    if (answer.status !== 200 || typeof body['error'] === 'string') throw refusalOf(answer, body);
    const token = body['access_token'];
    if (typeof token !== 'string' || token === '')
      throw new OAuth2Refusal('The token endpoint answered without an access token.', false);
    const refresh = body['refresh_token'];
    const seconds = Number(body['expires_in']);
    const lives = body['expires_in'] !== undefined && seconds > 0 && seconds <= MOST_SECONDS;
    return {
      access_token: token,
      refresh_token: typeof refresh === 'string' && refresh !== '' ? refresh : null,
      obtained_at: now.getTime(),
      expires_at: lives ? now.getTime() + seconds * 1_000 : null,
      ...furtherMembers(body),
    };
  }

  private async send(projectId: string, client: OAuth2Client, grant: Record<string, string>): Promise<OutboundAnswer> {
    const inHeader = client.authorization_method === 'HEADER';
    const own: Record<string, string> = { client_id: client.client_id };
    if (client.client_secret !== '') own['client_secret'] = client.client_secret;
    try {
      return await this.http.send({
        method: 'POST',
        url: client.token_url,
        headers: {
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
          ...(inHeader ? { authorization: `Basic ${basicOf(client)}` } : {}),
        },
        body: new URLSearchParams({ ...grant, ...(inHeader ? {} : own) }).toString(),
        timeoutMs: TIMEOUT_MS,
        maxAnswerBytes: MOST_ANSWER_BYTES,
        followRedirects: false,
        plainHttpOnlyToListed: true,
        projectId,
      });
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      throw new OAuth2Refusal(`The token endpoint could not be asked: ${error.message}`, false, { cause: error });
    }
  }
}

/** What a token answer tells beside the tokens and how long they live. */
function furtherMembers(
  body: Readonly<Record<string, unknown>>,
): Pick<OAuth2Tokens, 'token_type' | 'granted_scope' | 'data'> {
  const { access_token: _access, refresh_token: _refresh, expires_in: _seconds, token_type, scope, ...data } = body;
  return {
    ...(typeof token_type === 'string' && { token_type }),
    ...(typeof scope === 'string' && { granted_scope: scope }),
    data,
  };
}

/** RFC 6749, section 2.3.1: both are form-encoded before they are joined. */
const basicOf = ({ client_id: id, client_secret: secret }: OAuth2Client): string =>
  Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64');

const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

/** Some providers answer with a form in place of JSON. */
function bodyOf({ headers, body }: OutboundAnswer): Readonly<Record<string, unknown>> {
  const text = Buffer.from(body).toString('utf8');
  if (/^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? ''))
    return Object.fromEntries(new URLSearchParams(text));
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** The errors of RFC 6749, section 5.2, after which only a person can help. */
const FINAL_ERRORS = [
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
];

/** `error` is a name by the RFC. Nothing else of the answer is shown, because it may repeat what was sent. */
function refusalOf({ status }: OutboundAnswer, { error }: Readonly<Record<string, unknown>>): OAuth2Refusal {
  const name =
    typeof error === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(error) ? error.slice(0, MOST_SHOWN) : null;
  if (name === null) return new OAuth2Refusal(`The token endpoint answered ${status}.`, false);
  const message = `The token endpoint answered ${status} ${name}.`;
  return new OAuth2Refusal(message, FINAL_ERRORS.includes(name), { error: name });
}
