import { isMissing } from '../framework/coerce-input';
import { ActionFailure } from '../framework/piece';
import { choicesOf, type Props } from '../framework/props';

interface RequestAuth {
  props: Props;
  headers(fields: Readonly<Record<string, unknown>>): Record<string, string>;
}

const secret = (displayName: string) => ({ kind: 'text', displayName, required: true, isSecret: true }) as const;
const text = (displayName: string) => ({ kind: 'text', displayName, required: true }) as const;

const REQUEST_AUTHS: Readonly<Record<'none' | 'basic' | 'bearer' | 'header', RequestAuth>> = {
  none: { props: {}, headers: () => ({}) },
  basic: {
    props: { username: text('User name'), password: { ...secret('Password'), required: false } },
    headers: ({ username, password = '' }) => {
      if (String(username).includes(':')) throw new ActionFailure('The user name must not have a colon in it.');
      return { Authorization: `Basic ${Buffer.from(`${String(username)}:${String(password)}`).toString('base64')}` };
    },
  },
  bearer: {
    props: { token: secret('Token') },
    headers: ({ token }) => ({ Authorization: `Bearer ${String(token)}` }),
  },
  header: {
    props: { headerName: text('Header name'), headerValue: secret('Header value') },
    headers: ({ headerName, headerValue }) => ({ [String(headerName)]: String(headerValue) }),
  },
};

/** The props of an authentication type. A type that is not known yet has none. */
const authProps = (authType: unknown): Props => (isKnown(authType) ? REQUEST_AUTHS[authType].props : {});

/** The inputs by which an author says how a request proves its sender. */
export const AUTH_INPUTS = {
  authType: {
    kind: 'dropdown',
    displayName: 'Authentication',
    required: false,
    defaultValue: 'none',
    options: choicesOf('none', 'basic', 'bearer', 'header'),
  },
  authFields: {
    kind: 'dynamic',
    displayName: 'Authentication details',
    required: false,
    props: ({ authType }: Readonly<Record<string, unknown>>) => authProps(authType),
    secrets: ['password', 'token', 'headerValue'],
  },
} as const satisfies Props;

/** The members of the input `authFields`. Nothing is known about them while the authentication type is not known. */
export function authMembers(authType: unknown): Readonly<Record<string, Props>> {
  const type = isMissing(authType) ? 'none' : authType;
  return isKnown(type) ? { authFields: authProps(type) } : {};
}

export const authHeaders = (
  authType: keyof typeof REQUEST_AUTHS,
  fields: Readonly<Record<string, unknown>>,
): Record<string, string> => REQUEST_AUTHS[authType].headers(fields);

const isKnown = (authType: unknown): authType is keyof typeof REQUEST_AUTHS =>
  typeof authType === 'string' && Object.hasOwn(REQUEST_AUTHS, authType);
