/** A plain member path such as `step_1.body.items[0].id`, which needs no code to read. */
export interface MemberPath {
  head: string;
  keys: PathKeys;
}

export type PathKeys = readonly (string | number)[];

const NAME = '[A-Za-z_$][\\w$]*';
const KEY = `\\??\\.${NAME}|(?:\\?\\.)?\\[(?:0|[1-9]\\d*|"[^"\\\\\\n]*"|'[^'\\\\\\n]*')\\]`;

/** The source of a regular expression for a whole path. */
export const PATH_PATTERN = `${NAME}(?:${KEY})*`;

const ANY_KEY = new RegExp(KEY, 'g');
const WHOLE_PATH = new RegExp(`^${PATH_PATTERN}$`);
const HEAD = new RegExp(`^${NAME}`);

/** Null when the source is more than a path. */
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

/** Reads own properties only: what an author did not put into the data is not there, whatever prototypes hold. */
export function readPath(value: unknown, keys: PathKeys): unknown {
  let current = value;
  for (const key of keys) {
    if (current === null || current === undefined || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string | number, unknown>)[key];
  }
  return current;
}
