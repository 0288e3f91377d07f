/**
 * Returns the new value, in which parts that are equal to those of the value before are these, so that what shows them
 * need not be drawn again. A key such as `__proto__` is a key as any other.
 */
export function withEqualParts(before: unknown, after: unknown): unknown {
  if (before === after) return before;
  if (Array.isArray(before) && Array.isArray(after)) {
    const parts = after.map((part, index) => withEqualParts(before[index], part));
    return before.length === parts.length && parts.every((part, index) => part === before[index]) ? before : parts;
  }
  if (!isPlain(before) || !isPlain(after)) return after;
  const keys = Object.keys(after);
  const parts = keys.map((key) => [key, withEqualParts(own(before, key), after[key])] as const);
  const isSame = Object.keys(before).length === keys.length && parts.every(([key, part]) => isAt(before, key, part));
  return isSame ? before : Object.fromEntries(parts);
}

type Plain = Readonly<Record<string, unknown>>;

const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const own = (value: Plain, key: string): unknown => (Object.hasOwn(value, key) ? value[key] : undefined);
const isAt = (value: Plain, key: string, part: unknown): boolean => Object.hasOwn(value, key) && value[key] === part;
