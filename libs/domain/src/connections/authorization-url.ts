import { createHash, randomBytes } from 'node:crypto';

/** How long a person may take to give consent. */
export const AUTHORIZATION_SECONDS = 15 * 60;

export interface AuthorizationRequest {
  authorizationUrl: string;
  clientId: string;
  redirectUrl: string;
  scope: string;
}

/** An authorization that a person is about to give. It is used once. */
export interface PendingAuthorization {
  state: string;
  /** The user or API key that began it. No other may end it. */
  principal: string;
  projectId: string;
  clientId: string;
  redirectUrl: string;
  codeVerifier: string;
  expires: Date;
}

/** 256 random bits, as base64url. RFC 7636 wants 43 to 128 such characters for a verifier. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/** The address at which a person gives consent, with the state and the S256 challenge of the verifier. */
export function authorizationUrl(request: AuthorizationRequest, state: string, codeVerifier: string): string {
  const url = new URL(request.authorizationUrl);
  const challenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const parameters = {
    response_type: 'code',
    client_id: request.clientId,
    redirect_uri: request.redirectUrl,
    ...(request.scope ? { scope: request.scope } : {}),
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.toString();
}

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
