import type { PieceSignIn } from '@millrace/domain';
import { coerceAuth, type PieceAuth } from '../framework/auth';
import type { PieceDefinition } from '../framework/piece';
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

/** How people sign in to the provider of the package. Null when they do not. */
export function packageSignIn(auths: readonly PublishedProp[]): NonNullable<PieceDefinition['signIn']> | null {
  const found = auths.find(({ signIn }) => signIn !== undefined && signIn.tokenUrl !== '');
  if (!found?.signIn) return null;
  const shown = Object.entries(found.props ?? {}).filter(([, { type }]) => type !== 'MARKDOWN');
  const props = shown.map(([name, { required, defaultValue, choices }]) => [
    name,
    { required, ...(defaultValue !== undefined && { defaultValue }), ...(choices && { choices: valuesOf(choices) }) },
  ]);
  const inputs = packageProps(found.props ?? {}, noChoices);
  return { ...found.signIn, props: Object.fromEntries(props) as PieceSignIn['props'], inputs };
}

const valuesOf = (choices: NonNullable<PublishedProp['choices']>): unknown[] => choices.map(({ value }) => value);

const isSignIn = ({ type }: PublishedProp): boolean => type === 'OAUTH2';
const takes = (auth: PieceAuth, value: unknown): boolean => !('problems' in coerceAuth(auth, value));
const kindOf = (published: PublishedProp): PackageAuth[] => {
  const known = authOf(published);
  return known === null ? [] : [known];
};

/** What an expression reads of an OAuth2 connection at the least: a token that is fresh at each call. */
const ACCESS_TOKEN = { kind: 'text', displayName: 'Access token', required: true, isSecret: true } as const;

function authOf({ type, displayName, description, props = {} }: PublishedProp): PackageAuth | null {
  const named = { displayName, ...(description === undefined ? {} : { description }) };
  switch (type) {
    case 'SECRET_TEXT':
      return { auth: { kind: 'secretText', ...named }, valueOf: (text) => ({ type, secret_text: text }) };
    case 'BASIC_AUTH':
      return { auth: { kind: 'basicAuth', ...named }, valueOf: (given) => ({ ...(given as object), type }) };
    case 'CUSTOM_AUTH':
      return {
        auth: { kind: 'customAuth', ...named, props: packageProps(props, noChoices) },
        valueOf: (given) => ({ type, props: given }),
      };
    case 'OAUTH2':
      return {
        auth: { kind: 'customAuth', ...named, props: { access_token: ACCESS_TOKEN }, takesAnyMembers: true },
        valueOf: (given) => ({ data: {}, props: {}, ...(given as object), type }),
      };
    default:
      return null;
  }
}

/** The members of a connection depend on nothing that a package could be asked for. */
const noChoices = (): Promise<unknown> => Promise.resolve(null);
