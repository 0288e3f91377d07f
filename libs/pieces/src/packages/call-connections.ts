import { isJsonObject, isReadOAuth2 } from '@millrace/domain';
import type { PackageServices } from './package-calls';
import type { PackageAuthValue } from './package-auth';

/** Finds what expressions read of a connection, in the project of the call alone. Undefined when there is none. */
export type FindConnection = (externalId: string) => Promise<unknown>;

/** The connections that a call of a package may read by their external ids. */
export const connectionServices = (find: FindConnection): PackageServices => ({
  connection: async (externalId) => {
    const value = await find(String(externalId));
    return value === undefined ? null : packageAuthValue(value);
  },
});

/**
 * Puts what expressions read of a connection into the form that packages expect. The type follows from the members,
 * because expressions do not read it.
 */
function packageAuthValue(value: unknown): PackageAuthValue {
  if (typeof value === 'string') return { type: 'SECRET_TEXT', secret_text: value };
  const members = isJsonObject(value) ? value : {};
  if (hasOnly(members, ['username', 'password'])) return { type: 'BASIC_AUTH', ...members };
  if (isReadOAuth2(members) || hasOnly(members, ['access_token']))
    return { type: 'OAUTH2', data: {}, props: {}, ...members };
  return { type: 'CUSTOM_AUTH', props: members };
}

const hasOnly = (members: Readonly<Record<string, unknown>>, names: readonly string[]): boolean =>
  Object.keys(members).length === names.length && names.every((name) => Object.hasOwn(members, name));
