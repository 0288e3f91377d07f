import { isJsonObject, type GrantType, type PieceSignIn } from '@millrace/domain';

/** How people sign in to the provider of a package, as far as the package says it in one prop. */
export type PublishedSignIn = Omit<PieceSignIn, 'props'>;

const LONGEST_URL = 4_000;
const LONGEST_TEXT = 1_000;
const MOST_SCOPES = 500;

/** The names that packages have for grants. */
const GRANTS: Readonly<Record<string, readonly GrantType[]>> = {
  authorization_code: ['authorization_code'],
  client_credentials: ['client_credentials'],
  both_client_credentials_and_authorization_code: ['authorization_code', 'client_credentials'],
};

/** Reads the prop of a connection by OAuth 2.0. What has not the form that it should have is left out. */
export function readPublishedSignIn(prop: Readonly<Record<string, unknown>>): PublishedSignIn {
  const { scope, prompt, pkceMethod, grantType, extra } = prop;
  return {
    authorizationUrl: textOf(prop['authUrl'], LONGEST_URL),
    tokenUrl: textOf(prop['tokenUrl'], LONGEST_URL),
    scopes: Array.isArray(scope) ? scope.slice(0, MOST_SCOPES).map((one: unknown) => textOf(one, LONGEST_TEXT)) : [],
    grantTypes: GRANTS[textOf(grantType, LONGEST_TEXT)] ?? ['authorization_code'],
    clientAuthentication: prop['authorizationMethod'] === 'HEADER' ? 'HEADER' : 'BODY',
    pkce: prop['pkce'] === true ? (pkceMethod === 'S256' ? 'S256' : 'plain') : null,
    prompt: prompt === 'omit' ? null : textOf(prompt, LONGEST_TEXT) || 'consent',
    extra: Object.fromEntries(
      Object.entries(isJsonObject(extra) ? extra : {}).map(([name, value]) => [name, textOf(value, LONGEST_TEXT)]),
    ),
  };
}

const textOf = (value: unknown, most: number): string => (typeof value === 'string' ? value.slice(0, most) : '');
