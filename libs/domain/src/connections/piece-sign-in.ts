import { InvalidRequestError } from '../errors/invalid-request.error';
import type { ClientAuthentication, GrantType, OAuth2Client } from './oauth2-value';

// How people sign in to the provider of a piece. URLs and scopes of a provider may have places such as
// `https://{shop}.example.com/oauth`, which the person who connects fills.
//
// S1. The secret of an administrator's app goes only to a host that the piece names. A person who fills a place in the
//     name of the host could otherwise have the secret sent to a server of his own.

export interface PieceSignIn {
  authorizationUrl: string;
  tokenUrl: string;
  scopes: readonly string[];
  grantTypes: readonly GrantType[];
  clientAuthentication: ClientAuthentication;
  /** The method of PKCE. Null when the provider wants none. */
  pkce: PkceMethod | null;
  /** The value of the parameter `prompt`. Null when the provider wants none. */
  prompt: string | null;
  /** Further parameters of the authorization URL. */
  extra: Readonly<Record<string, string>>;
  props: Readonly<Record<string, SignInProp>>;
}

export type PkceMethod = 'plain' | 'S256';

/** What the piece asks for before the person signs in. */
export interface SignInProp {
  required: boolean;
  defaultValue?: unknown;
  /** The values that the piece itself offers, when there are no others. */
  choices?: readonly unknown[];
}

export interface SignInRequest {
  pieceName: string;
  props: Readonly<Record<string, unknown>>;
  clientId: string;
  clientSecret: string;
  redirectUrl: string | null;
  grantType: GrantType;
  /** The client is an administrator's app, whose secret the person does not know. */
  isOfApp: boolean;
  /** Where the props stand in the body of the request, for problems. */
  at: string;
}

/** The client that signs in to the provider of the piece. Throws InvalidRequestError for props that do not fit. */
export function clientForPiece(signIn: PieceSignIn, request: SignInRequest): OAuth2Client {
  const props = checkedProps(signIn, request);
  const wrongProps = (message: string) => new InvalidRequestError([{ path: `${request.at}/props`, message }]);
  const filled = (template: string): string => fill(template, props);
  const client: OAuth2Client = {
    client_id: request.clientId,
    client_secret: request.clientSecret,
    authorization_url: filled(signIn.authorizationUrl),
    token_url: filled(signIn.tokenUrl),
    scope: signIn.scopes.map(filled).join(' '),
    redirect_url: request.redirectUrl,
    grant_type: request.grantType,
    authorization_method: signIn.clientAuthentication,
    props,
  };
  if (!URL.canParse(client.token_url)) throw wrongProps('lead to no token URL of the provider.');
  // A person is sent to this page, and a browser would run a `javascript:` URL as a page of whoever shows it.
  if (client.grant_type === 'authorization_code' && !isWebPage(client.authorization_url))
    throw wrongProps('lead to no page of the provider.');
  if (hasHostOfPiece(signIn, props)) return { ...client, signed_in_to: request.pieceName };
  if (request.isOfApp)
    throw wrongProps("lead to a host that the piece does not name, so the app's secret is not sent there.");
  return client;
}

const isWebPage = (url: string | null): boolean =>
  url !== null && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

function checkedProps({ props: known }: PieceSignIn, { props: given, at }: SignInRequest): Record<string, unknown> {
  const problems: { path: string; message: string }[] = Object.keys(given)
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) => ({ path: `${at}/props/${name}`, message: 'is not what the piece asks for.' }));
  const props: Record<string, unknown> = {};
  for (const [name, { required, defaultValue, choices }] of Object.entries(known)) {
    const own = Object.hasOwn(given, name) ? given[name] : undefined;
    const value = own ?? defaultValue;
    if (value === undefined || value === '') {
      if (required) problems.push({ path: `${at}/props/${name}`, message: 'is required by the piece.' });
    } else if (choices && !choices.includes(value)) {
      problems.push({ path: `${at}/props/${name}`, message: 'must be one of the choices of the piece.' });
    } else props[name] = value;
  }
  if (problems.length > 0) throw new InvalidRequestError(problems);
  return props;
}

const PLACE = /\{(\w+)\}/g;

const fill = (template: string, props: Readonly<Record<string, unknown>>): string =>
  template.replace(PLACE, (place, name: string) => (Object.hasOwn(props, name) ? textOf(props[name]) : place));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const MARK = 'filled-by-a-person';

/** S1 is kept here. What the piece offers as a choice counts as named by it. */
function hasHostOfPiece(signIn: PieceSignIn, props: Readonly<Record<string, unknown>>): boolean {
  const isOffered = (name: string): boolean => signIn.props[name]?.choices !== undefined;
  const marked = Object.fromEntries(
    Object.entries(props).map(([name, value]) => [name, isOffered(name) ? value : MARK]),
  );
  const template = fill(signIn.tokenUrl, marked);
  if (!URL.canParse(template)) return false;
  const [named, actual] = [new URL(template), new URL(fill(signIn.tokenUrl, props))];
  if (actual.protocol !== named.protocol || actual.port !== named.port) return false;
  if (!named.hostname.includes(MARK)) return actual.hostname === named.hostname;
  const ending = named.hostname.slice(named.hostname.lastIndexOf(MARK) + MARK.length);
  return /^\.[^.]+\.[^.]+/.test(ending) && actual.hostname.endsWith(ending);
}
