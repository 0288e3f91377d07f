import { coerceAuth, type PieceAuth } from '../framework/auth';
import { packageProps } from './package-props';
import type { PublishedProp } from './published-piece';

/** The value of a connection in the form that packages expect. */
export type PackageAuthValue = Readonly<Record<string, unknown>> & { readonly type: string };

/** A connection of a package, as authors give it and as the package gets it. */
export interface PackageAuth {
  readonly auth: PieceAuth;
  /** Turns a coerced connection into what the package expects. */
  valueOf(coerced: unknown): PackageAuthValue;
}

/** The connection of a package: one of the kinds that it takes and this service has. Null when there is none. */
export function packageAuth(auths: readonly PublishedProp[]): PackageAuth | null {
  // Of several kinds, clients ask for the first. What a person signs in to cannot be typed into a form, so it comes last.
  const known = auths.toSorted((one, other) => Number(isSignIn(one)) - Number(isSignIn(other))).flatMap(kindOf);
  const [first, ...others] = known;
  if (!first || others.length === 0) return first ?? null;
  const alternatives = others.map(({ auth }) => auth);
  return {
    auth: { ...first.auth, alternatives } as PieceAuth,
    valueOf: (coerced) => (known.find(({ auth }) => takes(auth, coerced)) ?? first).valueOf(coerced),
  };
}

const isSignIn = ({ type }: PublishedProp): boolean => type === 'OAUTH2';
const takes = (auth: PieceAuth, value: unknown): boolean => !('problems' in coerceAuth(auth, value));
const kindOf = (published: PublishedProp): PackageAuth[] => {
  const known = authOf(published);
  return known === null ? [] : [known];
};

/** What an expression reads of an OAuth2 connection: a token that is fresh at each call. */
const ACCESS_TOKEN = { kind: 'text', displayName: 'Access token', required: true, isSecret: true } as const;

function authOf({ type, displayName, description, props = {} }: PublishedProp): PackageAuth | null {
  const named = { displayName, ...(description === undefined ? {} : { description }) };
  switch (type) {
    case 'SECRET_TEXT':
      return { auth: { kind: 'secretText', ...named }, valueOf: (text) => ({ type, secret_text: text }) };
    case 'BASIC_AUTH':
      return { auth: { kind: 'basicAuth', ...named }, valueOf: (given) => ({ type, ...(given as object) }) };
    case 'CUSTOM_AUTH':
      return {
        auth: { kind: 'customAuth', ...named, props: packageProps(props, noChoices) },
        valueOf: (given) => ({ type, props: given }),
      };
    case 'OAUTH2':
      return {
        auth: { kind: 'customAuth', ...named, props: { access_token: ACCESS_TOKEN } },
        valueOf: (given) => ({ type, data: {}, ...(given as object) }),
      };
    default:
      return null;
  }
}

/** The members of a connection depend on nothing that a package could be asked for. */
const noChoices = (): Promise<unknown> => Promise.resolve(null);
