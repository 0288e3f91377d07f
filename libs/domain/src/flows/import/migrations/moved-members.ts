import { isJsonObject, type JsonObject } from '../../../json/json-reader';

// A migrated step remembers where its members stood in the request, so that a problem found in it is told with the
// pointer that its sender knows. The memory is a symbol: it takes part in copies, and in nothing that reads members.

const MOVED = Symbol('where members stood before a migration');

type Moves = Readonly<Record<string, string>>;

/** The step with a note that what is at each path of `moves` stood at another. Both paths are inside the step. */
export const withMoved = (step: JsonObject, moves: Moves): JsonObject => ({
  ...step,
  [MOVED]: { ...movesOf(step), ...moves },
});

/** Where that which `path` points to in the migrated `root` stood in the request. The root itself stood at `rootPath`. */
export function pointerAsSent(root: unknown, rootPath: string, path: string): string {
  const members = path.slice(rootPath.length).split('/').slice(1);
  const sent = [rootPath];
  let value = root;
  for (let index = 0; index < members.length;) {
    const [to, from] = moveAt(value, members, index);
    sent.push(from);
    for (const end = index + to; index < end; index++) value = memberOf(value, members[index] ?? '');
  }
  return sent.join('/');
}

/** How many members the next part of the path has, and what it was. */
function moveAt(value: unknown, members: readonly string[], index: number): [number, string] {
  for (const [to, from] of Object.entries(movesOf(value))) {
    const length = to.split('/').length;
    if (members.slice(index, index + length).join('/') === to) return [length, from];
  }
  return [1, members[index] ?? ''];
}

function memberOf(value: unknown, escaped: string): unknown {
  const member = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
  if (Array.isArray(value)) return value[Number(member)] as unknown;
  return isJsonObject(value) && Object.hasOwn(value, member) ? value[member] : undefined;
}

const movesOf = (value: unknown): Moves => (isJsonObject(value) && (value as { [MOVED]?: Moves })[MOVED]) || {};
