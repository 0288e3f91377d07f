import type { LineChange } from './line-changes';

type Line = Extract<LineChange, { text: string }>;

/** Two lines beside each other; null where one side has none. Or how many lines are left out. */
export type Row = { left: Line | null; right: Line | null } | { gap: number };

/** Puts what was removed beside what was added in its place. */
export function sideBySide(changes: readonly LineChange[]): Row[] {
  const rows: Row[] = [];
  let removed: Line[] = [];
  let added: Line[] = [];
  const putBeside = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++)
      rows.push({ left: removed[index] ?? null, right: added[index] ?? null });
    removed = [];
    added = [];
  };
  for (const change of changes) {
    if (change.kind === 'removed') removed.push(change);
    else if (change.kind === 'added') added.push(change);
    else {
      putBeside();
      rows.push(change.kind === 'gap' ? { gap: change.lines } : { left: change, right: change });
    }
  }
  putBeside();
  return rows;
}
