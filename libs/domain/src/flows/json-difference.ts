import { isJsonObject, pointer } from '../json/json-reader';

/**
 * JSON pointers to what differs between two values, in the order in which it is met. Lists of different length differ
 * as a whole: one more entry in front would otherwise make every entry another one. An absent member is `undefined`.
 */
export function differingPaths(before: unknown, after: unknown, path = ''): string[] {
  const paths: string[] = [];
  const pending: [unknown, unknown, string][] = [[before, after, path]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [a, b, at] = next;
    const members = Object.is(a, b) ? [] : membersToCompare(a, b);
    if (members === null) paths.push(at);
    else for (const member of members.reverse()) pending.push([own(a, member), own(b, member), pointer(at, member)]);
  }
  return paths;
}

/** Null: the two are different, and have nothing in common to look into. */
function membersToCompare(a: unknown, b: unknown): string[] | null {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length ? Object.keys(a) : null;
  if (isJsonObject(a) && isJsonObject(b)) return [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return null;
}

const own = (value: unknown, member: string): unknown =>
  Object.hasOwn(value as object, member) ? (value as Record<string, unknown>)[member] : undefined;
