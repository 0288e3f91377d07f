import type { OperationEnding, StoreWrite, TriggerOperation, TriggerToDisable } from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';
import { storableText } from '../postgres/stored-json';
import { decodeText } from '../postgres/stored-text';

const FIND = `
  select scope, key, value from store_entry
  where project_id = $1 and (scope = 'FLOW' and scope_id = $2 or scope = 'PROJECT' and scope_id = $1) and key = any($3)`;

type Flow = Pick<TriggerOperation, 'flowId' | 'projectId'>;

/**
 * Gives the triggers over which another one was enabled what the store has for them until the writes of the ending
 * replace it. Without that, `onDisable` of such a trigger would find, and remove, what the other one has registered.
 */
export async function keepForLeft(tx: Queryable, flow: Flow, ending: OperationEnding): Promise<OperationEnding> {
  const { writes } = ending;
  const off = leftBy(ending);
  if (writes.length === 0 || !off.some(({ kept }) => kept)) return ending;
  const before = await entriesBefore(tx, flow, writes);
  const keeping = off.map((live) => keep(live, before));
  if (ending.kind === 'retry') return { ...ending, next: { ...ending.next, off: keeping } };
  return ending.left ? { ...ending, left: { ...ending.left, off: keeping } } : ending;
}

/** The triggers that are still to be disabled after an attempt. */
export const leftBy = (ending: OperationEnding): readonly TriggerToDisable[] =>
  ending.kind === 'retry' ? ending.next.off : (ending.left?.off ?? []);

function keep(live: TriggerToDisable, before: readonly StoreWrite[]): TriggerToDisable {
  const { kept } = live;
  if (!kept) return live;
  const known = new Set(kept.map(nameOf));
  return { ...live, kept: [...kept, ...before.filter((entry) => !known.has(nameOf(entry)))] };
}

/** The entries of the same names as the writes. One that does not exist has the value null. */
async function entriesBefore(tx: Queryable, flow: Flow, writes: readonly StoreWrite[]): Promise<StoreWrite[]> {
  const keys = writes.map(({ key }) => storableText(key));
  const { rows } = await tx.query<{ scope: StoreWrite['scope']; key: string; value: Buffer }>(FIND, [
    flow.projectId,
    flow.flowId,
    keys,
  ]);
  const found = new Map<string, StoreWrite>();
  for (const { scope, key, value } of rows) {
    const stored = await decodeText(value);
    const { text, references } = typeof stored === 'string' ? { text: stored, references: undefined } : stored;
    found.set(nameOf({ scope, key }), { scope, key, value: JSON.parse(text), ...(references && { references }) });
  }
  return writes.map(
    ({ scope, key }) => found.get(nameOf({ scope, key: storableText(key) })) ?? { scope, key, value: null },
  );
}

const nameOf = ({ scope, key }: Pick<StoreWrite, 'scope' | 'key'>): string => `${scope}/${key}`;
