export const REDACTED = '**REDACTED**';

/** Shorter texts are not hidden, because they are likely to be part of ordinary words. */
export const SHORTEST_SECRET = 6;

/** A text inside a connection's value that nobody may read. */
export interface Secret {
  path: readonly string[];
  text: string;
}

/** The last key of the path to `<username>:<password>`, as basic authentication writes a login. */
const LOGIN = 'username:password';

/** Every text inside a connection's value, as expressions read it. */
export function secretsIn(value: unknown, path: readonly string[] = []): Secret[] {
  if (typeof value === 'string') return value.length < SHORTEST_SECRET ? [] : [{ path, text: value }];
  if (value === null || typeof value !== 'object') return [];
  const login = loginIn(value);
  return [
    ...Object.entries(value).flatMap(([key, inner]) => secretsIn(inner, [...path, key])),
    ...(login === undefined ? [] : [{ path: [...path, LOGIN], text: login }]),
  ];
}

/** The text at a path of `secretsIn`; undefined when there is none today. */
export function secretAt(value: unknown, [key, ...rest]: readonly string[]): string | undefined {
  if (key === undefined) return typeof value === 'string' ? value : undefined;
  if (value === null || typeof value !== 'object') return undefined;
  if (Object.hasOwn(value, key)) return secretAt((value as Record<string, unknown>)[key], rest);
  return key === LOGIN ? loginIn(value) : undefined;
}

function loginIn(value: object): string | undefined {
  const { username, password } = value as Record<string, unknown>;
  return typeof username === 'string' && typeof password === 'string' ? `${username}:${password}` : undefined;
}
