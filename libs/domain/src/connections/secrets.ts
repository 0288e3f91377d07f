import { isReadOAuth2 } from './oauth2-value';

export const REDACTED = '**REDACTED**';

/** Shorter texts are not hidden, because they are likely to be part of ordinary words. Numbers need as many digits. */
export const SHORTEST_SECRET = 6;

/** Lines of a text that are shorter are not hidden on their own. */
const SHORTEST_LINE = 16;
const MOST_LINES = 100;

/** A text inside a connection's value that nobody may read. */
export interface Secret {
  path: readonly string[];
  text: string;
  /** Absent when it is looked for in all forms. */
  only?: 'common forms' | 'text and JSON';
}

/** The key in the path to `<username>:<password>`, as basic authentication writes a login. */
const LOGIN = 'username:password';

/** The members of what a provider has told, and of what a piece asked for, that nobody may read. */
const NAMES_A_SECRET = /token|secret|key|pass|credential|assertion|signature|jwt/i;

/**
 * Every text and every number inside a connection's value, as expressions read it. Of a connection by OAuth 2.0 these are
 * the tokens and what has the name of a secret; the name of a workspace, for instance, may be read.
 */
export function secretsIn(value: unknown): Secret[] {
  if (!isReadOAuth2(value)) return textsIn(value, []);
  const { data, props } = value;
  return [
    ...textsIn(value.access_token, ['access_token']),
    ...Object.entries({ data, props }).flatMap(([name, member]) => namedSecrets(member, [name])),
  ];
}

function namedSecrets(value: unknown, path: readonly string[]): Secret[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    NAMES_A_SECRET.test(key) ? textsIn(inner, [...path, key]) : namedSecrets(inner, [...path, key]),
  );
}

function textsIn(value: unknown, path: readonly string[]): Secret[] {
  if (typeof value === 'string') return secretsOfText(value, path);
  if (typeof value === 'number') return digitsOf(value) < SHORTEST_SECRET ? [] : [{ path, text: String(value) }];
  if (value === null || typeof value !== 'object') return [];
  const login = loginIn(value);
  return [
    ...Object.entries(value).flatMap(([key, inner]) => textsIn(inner, [...path, key])),
    ...(login === undefined ? [] : secretsOfText(login, [...path, LOGIN])),
  ];
}

/** The text at a path of `secretsIn`; undefined when there is none today. */
export function secretAt(value: unknown, [key, ...rest]: readonly string[]): string | undefined {
  if (typeof value === 'string') return key === undefined ? value : partOf(value, key);
  if (typeof value === 'number') return key === undefined ? String(value) : undefined;
  if (key === undefined || value === null || typeof value !== 'object') return undefined;
  if (Object.hasOwn(value, key)) return secretAt((value as Record<string, unknown>)[key], rest);
  return key === LOGIN ? secretAt(loginIn(value), rest) : undefined;
}

function loginIn(value: object): string | undefined {
  const { username, password } = value as Record<string, unknown>;
  return typeof username === 'string' && typeof password === 'string' ? `${username}:${password}` : undefined;
}

const digitsOf = (number: number): number => String(number).replace(/\D/g, '').length;

/** What programs make of white space at the edges of a text and of its ends of lines, by the last key of a path. */
const TIDIED: Readonly<Record<string, (text: string) => string>> = {
  trimmed: (text) => text.trim(),
  crlf: (text) => text.trim().replace(/\r?\n/g, '\r\n'),
  lf: (text) => text.trim().replaceAll('\r\n', '\n'),
};

/**
 * The text, and when it has white space at its edges or several lines, what programs make of it, and its lines. In rare
 * forms the trimmed text is found also where nobody has trimmed it; what is left is white space.
 */
function secretsOfText(text: string, path: readonly string[]): Secret[] {
  if (text.length < SHORTEST_SECRET) return [];
  const trimmed = text.trim();
  const isTrimmed = trimmed === text;
  if (isTrimmed && !text.includes('\n')) return [{ path, text }];
  const edges: Secret[] = isTrimmed ? [] : [{ path: [...path, 'trimmed'], text: trimmed }];
  const whole: Secret = isTrimmed ? { path, text } : { path, text, only: 'common forms' };
  return [whole, ...edges, ...linesOf(trimmed, text, path)].filter((each) => each.text.length >= SHORTEST_SECRET);
}

/** The trimmed text with the other ends of lines, and each line that is long enough, when it has several. */
function linesOf(trimmed: string, text: string, path: readonly string[]): Secret[] {
  if (!trimmed.includes('\n')) return [];
  const ends = trimmed.includes('\r\n') ? 'lf' : 'crlf';
  const lines = text.split('\n', MOST_LINES).map((line) => line.trim());
  return [
    { path: [...path, ends], text: TIDIED[ends]?.(text) ?? '', only: 'common forms' },
    ...lines.flatMap((line, index): Secret[] =>
      line.length < SHORTEST_LINE || PEM_BOUNDARY.test(line)
        ? []
        : [{ path: [...path, `${LINE}${index}`], text: line, only: 'text and JSON' }],
    ),
  ];
}

const LINE = 'line ';
/** The first and the last line of a PEM file, which everybody knows. */
const PEM_BOUNDARY = /^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/;

const partOf = (text: string, key: string): string | undefined =>
  key.startsWith(LINE) ? text.split('\n')[Number(key.slice(LINE.length))]?.trim() : TIDIED[key]?.(text);
