import { isJsonObject, pointer } from '../json/json-reader';

/**
 * The JSON pointers to the differences between two values, in the order of their members. Lists of different length
 * differ as a whole, because otherwise one more entry at the front would change all entries. An absent member counts as
 * `undefined`.
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

/** The members to compare; null when the two values differ as a whole. */
function membersToCompare(a: unknown, b: unknown): string[] | null {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length ? Object.keys(a) : null;
  if (isJsonObject(a) && isJsonObject(b)) return [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return null;
}

const own = (value: unknown, member: string): unknown =>
  Object.hasOwn(value as object, member) ? (value as Record<string, unknown>)[member] : undefined;
