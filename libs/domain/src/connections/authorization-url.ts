import { createHash, randomBytes } from 'node:crypto';
import type { OAuth2Client } from './oauth2-value';
import type { PieceSignIn, PkceMethod } from './piece-sign-in';

/** How long a person may take to give consent. */
export const AUTHORIZATION_SECONDS = 15 * 60;

export interface AuthorizationRequest {
  authorizationUrl: string;
  clientId: string;
  redirectUrl: string;
  scope: string;
  /** The method of PKCE. Null for a provider that wants none. */
  pkce: PkceMethod | null;
  /** Further parameters, by name. Those that are needed anyhow take no other value. */
  parameters?: Readonly<Record<string, string>>;
}

/** An authorization that a person is about to give. It is used once. */
export interface PendingAuthorization {
  state: string;
  /** The user or API key that began it. No other may end it. */
  principal: string;
  projectId: string;
  clientId: string;
  redirectUrl: string;
  /** Null for a provider that wants no PKCE. */
  codeVerifier: string | null;
  /** The client of a sign-in for a piece, with its secret if that is known already. */
  client?: OAuth2Client;
  expires: Date;
}

/** 256 random bits, as base64url. RFC 7636 wants 43 to 128 such characters for a verifier. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/** The address at which a person gives consent, with the state and the challenge of the verifier. */
export function authorizationUrl(request: AuthorizationRequest, state: string, codeVerifier: string): string {
  const url = new URL(request.authorizationUrl);
  const parameters = {
    ...request.parameters,
    response_type: 'code',
    client_id: request.clientId,
    redirect_uri: request.redirectUrl,
    ...(request.scope ? { scope: request.scope } : {}),
    state,
    ...(request.pkce && {
      code_challenge: challengeOf(codeVerifier, request.pkce),
      code_challenge_method: request.pkce,
    }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.toString();
}

const challengeOf = (codeVerifier: string, method: PkceMethod): string =>
  method === 'plain' ? codeVerifier : createHash('sha256').update(codeVerifier).digest('base64url');

/** The parameters that a provider gets beside those of RFC 6749, so that it gives a refresh token. */
export const signInParameters = ({ prompt, extra }: Pick<PieceSignIn, 'prompt' | 'extra'>): Record<string, string> => ({
  access_type: 'offline',
  ...(prompt !== null && { prompt }),
  ...extra,
});

/** How often the code of one authorization may be tried at the provider. */
export const AUTHORIZATION_TRIES = 5;

/** Longer than a token endpoint may take, so that a code is tried by one request at a time. */
export const AUTHORIZATION_TRY_SECONDS = 30;

/** Where authorizations are kept until they are used. */
export abstract class PendingAuthorizations {
  abstract insert(authorization: PendingAuthorization): Promise<void>;
  /** Null when the authorization is unknown, expired or was used. */
  abstract find(state: string, now: Date): Promise<PendingAuthorization | null>;
  /**
   * Begins a try to use the authorization, which `remove` or `release` ends. Returns false when another try is under
   * way, when it was tried too often, or when it does not exist any more.
   */
  abstract claim(state: string, now: Date): Promise<boolean>;
  /** Ends a try after which the authorization may be tried again. */
  abstract release(state: string): Promise<void>;
  /** Ends the authorization, because it was used. */
  abstract remove(state: string): Promise<void>;
}
