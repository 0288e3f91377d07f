/** A line of a text that was changed, or how many lines between two changes are left out. */
export type LineChange = { kind: 'same' | 'removed' | 'added'; text: string } | { kind: 'gap'; lines: number };

/** Lines around a change that are shown, so that its place is seen. */
const AROUND = 2;
/** Texts with more pairs of lines are not compared line by line: that would keep the page busy. */
const MOST_PAIRS = 250_000;

/** What was removed from a text and added to it, line by line, with a few lines around each change. */
export function lineChanges(before: string, after: string): LineChange[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const start = commonLength(a, b);
  const end = commonLength(a.slice(start).reverse(), b.slice(start).reverse());
  const between = changesOf(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const same = (text: string): LineChange => ({ kind: 'same', text });
  return shortened([...a.slice(0, start).map(same), ...between, ...a.slice(a.length - end).map(same)]);
}

/** How many lines at the beginning are the same. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((line, index) => line !== b[index]);
  return differs === -1 ? a.length : differs;
}

/** The shortest way from the one list of lines to the other. */
function changesOf(a: readonly string[], b: readonly string[]): LineChange[] {
  const removed = (text: string): LineChange => ({ kind: 'removed', text });
  const added = (text: string): LineChange => ({ kind: 'added', text });
  if (a.length * b.length > MOST_PAIRS) return [...a.map(removed), ...b.map(added)];
  const common = commonLines(a, b);
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  const changes: LineChange[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const [one, other] = [a[i], b[j]];
    if (one !== undefined && one === other) {
      changes.push({ kind: 'same', text: one });
      [i, j] = [i + 1, j + 1];
    } else if (one !== undefined && (other === undefined || at(i + 1, j) >= at(i, j + 1))) {
      changes.push(removed(one));
      i++;
    } else {
      changes.push(added(other ?? ''));
      j++;
    }
  }
  return changes;
}

/** By the places in both lists: how many lines the rests from there have in common, in the same order. */
function commonLines(a: readonly string[], b: readonly string[]): number[][] {
  const common = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const [below, row] = [common[i + 1] ?? [], common[i] ?? []];
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  return common;
}

/** Leaves out what is far from every change. */
function shortened(lines: readonly LineChange[]): LineChange[] {
  const isNear = lines.map(() => false);
  lines.forEach(({ kind }, index) => {
    if (kind !== 'same') isNear.fill(true, Math.max(0, index - AROUND), index + AROUND + 1);
  });
  const shown: LineChange[] = [];
  lines.forEach((line, index) => {
    const last = shown.at(-1);
    if (isNear[index]) shown.push(line);
    else if (last?.kind === 'gap') last.lines++;
    else shown.push({ kind: 'gap', lines: 1 });
  });
  return shown;
}
