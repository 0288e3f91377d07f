/** A plain member path, for example `step_1.body.items[0].id`. It is read without the sandbox. */
export interface MemberPath {
  head: string;
  keys: PathKeys;
}

export type PathKeys = readonly (string | number)[];

const NAME = '[A-Za-z_$][\\w$]*';
const KEY = `\\??\\.${NAME}|(?:\\?\\.)?\\[(?:0|[1-9]\\d*|"[^"\\\\\\n]*"|'[^'\\\\\\n]*')\\]`;

/** The source of a regular expression that matches a whole path. */
export const PATH_PATTERN = `${NAME}(?:${KEY})*`;

const ANY_KEY = new RegExp(KEY, 'g');
const WHOLE_PATH = new RegExp(`^${PATH_PATTERN}$`);
const HEAD = new RegExp(`^${NAME}`);

/** Parses a path. Null when the source is not just a path. */
export function parsePath(source: string): MemberPath | null {
  if (!WHOLE_PATH.test(source)) return null;
  const head = HEAD.exec(source)?.[0] ?? '';
  const keys = Array.from(source.slice(head.length).matchAll(ANY_KEY), ([key]) => keyOf(key));
  return { head, keys };
}

function keyOf(segment: string): string | number {
  if (!segment.endsWith(']')) return segment.slice(segment.indexOf('.') + 1);
  const inside = segment.slice(segment.indexOf('[') + 1, -1);
  return /^\d/.test(inside) ? Number(inside) : inside.slice(1, -1);
}

/** Reads a member by its path. Only own properties count, so members of prototypes are undefined. */
export function readPath(value: unknown, keys: PathKeys): unknown {
  let current = value;
  for (const key of keys) {
    if (current === null || current === undefined || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string | number, unknown>)[key];
  }
  return current;
}
