// What the viewer shows of a value, one node at a time, so that a large value costs no more than what is open.

export type Path = readonly (string | number)[];

export interface JsonNode {
  path: Path;
  value: unknown;
}

export const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

export const sizeOf = (value: object): number => (Array.isArray(value) ? value.length : Object.keys(value).length);

/** The first children of a node, at most `limit`. */
export function childrenOf({ path, value }: JsonNode, limit: number): JsonNode[] {
  if (Array.isArray(value))
    return value.slice(0, limit).map((child: unknown, index) => ({ path: [...path, index], value: child }));
  if (!isContainer(value)) return [];
  const keys = Object.keys(value).slice(0, limit);
  return keys.map((key) => ({ path: [...path, key], value: (value as Record<string, unknown>)[key] }));
}

/** Returns the value at a path; undefined when the root has none there. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const part of path) {
    if (!isContainer(value) || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/;

/** The path as it is written in an expression, such as `body.lines[0]["unit price"]`. */
export const pathText = (path: Path): string =>
  path
    .map((part, index) => (typeof part === 'string' && PLAIN_KEY.test(part) ? plain(part, index) : other(part)))
    .join('');

const plain = (key: string, index: number): string => (index === 0 ? key : `.${key}`);
const other = (part: string | number): string => `[${JSON.stringify(part)}]`;

/** The value as it is copied: a text as it is, anything else as JSON. */
export const copiedText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');

export interface Found {
  nodes: JsonNode[];
  /** There are more than `nodes` has. */
  hasMore: boolean;
}

/** The nodes whose key, or whose text or number, contains the text. Upper and lower case are equal. */
export function search(root: unknown, text: string, limit: number): Found {
  const wanted = text.toLowerCase();
  const nodes: JsonNode[] = [];
  // The stack holds each container that is being walked, and not its children, which may be many.
  const stack = isContainer(root) ? [walkOf({ path: [], value: root })] : [];
  for (let walk = stack.at(-1); walk; walk = stack.at(-1)) {
    const key = walk.keys ? walk.keys[walk.next] : walk.next;
    if (key === undefined || walk.next >= walk.size) {
      stack.pop();
      continue;
    }
    walk.next++;
    const value = (walk.value as Record<string | number, unknown>)[key];
    if (contains(key, wanted) || contains(value, wanted)) {
      if (nodes.length === limit) return { nodes, hasMore: true };
      nodes.push({ path: [...walk.path, key], value });
    }
    if (isContainer(value)) stack.push(walkOf({ path: [...walk.path, key], value }));
  }
  return { nodes, hasMore: false };
}

function walkOf({ path, value }: { path: Path; value: object }) {
  const keys = Array.isArray(value) ? null : Object.keys(value);
  return { path, value, keys, size: keys ? keys.length : (value as unknown[]).length, next: 0 };
}

const contains = (part: unknown, wanted: string): boolean =>
  typeof part === 'string' ? part.toLowerCase().includes(wanted) : !isContainer(part) && String(part) === wanted;
