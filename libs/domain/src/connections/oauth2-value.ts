import { isJsonObject } from '../json/json-reader';

/** How a connection gets its tokens. */
export const GRANT_TYPES = ['authorization_code', 'client_credentials'] as const;
export type GrantType = (typeof GRANT_TYPES)[number];

/** Where the id and the secret of the client stand in a request for tokens. */
export const CLIENT_AUTHENTICATIONS = ['BODY', 'HEADER'] as const;
export type ClientAuthentication = (typeof CLIENT_AUTHENTICATIONS)[number];

/** The client that a connection signs in as. */
export interface OAuth2Client {
  client_id: string;
  client_secret: string;
  authorization_url: string | null;
  token_url: string;
  scope: string;
  redirect_url: string | null;
  grant_type: GrantType;
  authorization_method: ClientAuthentication;
  /** What a piece asked for when the connection was made, such as the name of a shop. */
  props?: Readonly<Record<string, unknown>>;
  /**
   * The piece to whose provider the person signed in, at a host that the piece names: so `data` is what the provider has
   * said. Only this service writes it, and no other type of connection can have it.
   */
  signed_in_to?: string;
}

/** The tokens that a provider has given. Times are milliseconds since 1970. */
export interface OAuth2Tokens {
  access_token: string;
  refresh_token: string | null;
  obtained_at: number;
  /** Null when the provider did not say how long the access token lives. It is then never known to have expired. */
  expires_at: number | null;
  /** The type of the access token and the scope of the last answer, when it told them. */
  token_type?: string;
  granted_scope?: string;
  /** What else the provider has answered. Absent in values that were stored before there was this member. */
  data?: Readonly<Record<string, unknown>>;
}

export type OAuth2Value = { type: 'OAUTH2' } & OAuth2Client & OAuth2Tokens;

/**
 * What expressions and packages read. It has neither the refresh token nor the secret of the client: this service alone
 * refreshes, because many providers end an authorization when two have used its refresh token.
 */
export function readOAuth2(value: OAuth2Value): Readonly<Record<string, unknown>> {
  const { access_token, token_type, granted_scope, scope, data, props, client_id, signed_in_to } = value;
  if (data === undefined) return { access_token };
  const { obtained_at: obtained, expires_at: expires } = value;
  return {
    access_token,
    ...(token_type !== undefined && { token_type }),
    scope: granted_scope ?? scope,
    claimed_at: Math.floor(obtained / 1_000),
    ...(expires !== null && { expires_in: Math.round((expires - obtained) / 1_000) }),
    client_id,
    data,
    props: props ?? {},
    ...(signed_in_to !== undefined && { signed_in_to }),
  };
}

/** Whether this is what is read of a connection by OAuth 2.0 whose provider has told something. */
export const isReadOAuth2 = (value: unknown): value is Readonly<Record<'access_token' | 'data' | 'props', unknown>> =>
  isJsonObject(value) && typeof value['access_token'] === 'string' && isJsonObject(value['data']);

const REFRESHED_BEFORE_MS = 15 * 60_000;
const LIFE_THAT_NOBODY_TOLD_MS = 60 * 60_000;

/**
 * Whether the access token should be replaced: 15 minutes before it expires, or in the second half of the life of a token
 * that lives shorter than half an hour. RFC 6749 lets a provider say nothing of the life of a token. It is then taken to
 * be an hour where another token can be had.
 */
export function isDueForRefresh(value: OAuth2Value, now: Date): boolean {
  const { obtained_at: obtained } = value;
  const expires = value.expires_at ?? (canRefresh(value) ? obtained + LIFE_THAT_NOBODY_TOLD_MS : null);
  if (expires === null) return false;
  return now.getTime() >= expires - Math.min(REFRESHED_BEFORE_MS, (expires - obtained) / 2);
}

export const hasExpired = ({ expires_at: expires }: OAuth2Tokens, now: Date): boolean =>
  expires !== null && now.getTime() >= expires;

/** Whether the provider can be asked for another access token without a person. */
export const canRefresh = ({ grant_type: grant, refresh_token: refresh }: OAuth2Value): boolean =>
  grant === 'client_credentials' || refresh !== null;
