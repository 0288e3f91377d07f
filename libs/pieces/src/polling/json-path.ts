// Paths to members of JSON: `data.items`, `[0].rows`, `items["a key"]`, all with or without `$` before them.

const SEGMENT = /(?:^|\.)([^.[\]"']+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/y;

/** The names of the members on the way; null when the text is no path. An empty path leads to the value itself. */
export function jsonPath(text: string): string[] | null {
  const path = text.trim().replace(/^\$\.?/, '');
  const names: string[] = [];
  SEGMENT.lastIndex = 0;
  while (SEGMENT.lastIndex < path.length) {
    const [whole, plain, index, double, single] = SEGMENT.exec(path) ?? [];
    if (whole === undefined) return null;
    names.push(plain ?? index ?? (double ?? single ?? '').replace(/\\(.)/g, '$1'));
  }
  return names;
}

/** The member at the end of the path; undefined when there is none. Only own members count. */
export function memberAt(value: unknown, path: readonly string[]): unknown {
  let member = value;
  for (const name of path) {
    if (typeof member !== 'object' || member === null || !Object.hasOwn(member, name)) return undefined;
    member = (member as Record<string, unknown>)[name];
  }
  return member;
}
