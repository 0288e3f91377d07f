import { isJsonObject, type JsonObject } from '../../../json/json-reader';

// A migrated step notes where its members stood in the request, so that a problem in the step has the pointer that its
// sender knows. The note is a member with a symbol as its name: copies keep it, and code that reads members ignores it.

const MOVED = Symbol('where members stood before a migration');

type Moves = Readonly<Record<string, string>>;

/** The step with a note of `moves`, from each path in the migrated step to the path in the step as it was sent. */
export const withMoved = (step: JsonObject, moves: Moves): JsonObject => ({
  ...step,
  [MOVED]: { ...movesOf(step), ...moves },
});

/** The pointer in the request to the value that `path` points to in the migrated `root`, which stood at `rootPath`. */
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

/** How many members the next part of the path has, and the path that this part had in the request. */
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
