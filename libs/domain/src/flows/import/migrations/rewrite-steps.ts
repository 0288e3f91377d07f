import { isJsonObject, type JsonObject } from '../../../json/json-reader';

interface Place {
  holder: Record<string, unknown> | unknown[];
  member: string;
}

const LINKS = ['nextAction', 'firstLoopAction'];

/**
 * Copies a tree of steps that is still unknown JSON and replaces each step by the result of `rewrite`. It follows the
 * links of the rewritten steps and leaves values that are not steps unchanged. It is not recursive, because each step
 * nests one level deeper.
 */
export function rewriteSteps(first: unknown, rewrite: (step: JsonObject) => JsonObject): unknown {
  const root: Record<string, unknown> = { first };
  const pending: Place[] = [{ holder: root, member: 'first' }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const holder = next.holder as Record<string, unknown>;
    const step = holder[next.member];
    if (!isJsonObject(step)) continue;
    const copy = { ...rewrite(step) };
    holder[next.member] = copy;
    pending.push(...placesOf(copy));
  }
  return root['first'];
}

function placesOf(copy: Record<string, unknown>): Place[] {
  const places: Place[] = LINKS.map((member) => ({ holder: copy, member }));
  if (!Array.isArray(copy['children'])) return places;
  const children: unknown[] = [...(copy['children'] as unknown[])];
  copy['children'] = children;
  return places.concat(children.map((_child, index) => ({ holder: children, member: String(index) })));
}
