import type { CutValue } from '../json-view/cut-value';
import { childrenOf, isContainer, pathText, search, sizeOf, type JsonNode, type Path } from '../json-view/json-nodes';
import { pointerOf } from '../json-view/json-pointer';

/** A step whose data can be chosen. */
export interface PickerStep {
  name: string;
  displayName: string;
  /** Null where nothing is known yet. */
  sample: CutValue | null;
  /** Such as when the sample was taken, or why there is none. */
  says: string;
}

/** A row of the tree. */
export interface PickerRow {
  id: string;
  /** Begins with the name of the step. */
  path: Path;
  level: number;
  label: string;
  value: unknown;
  /**
   * `step`, `value`: can be chosen. `more`: shows more of what is there, of which `place` is the first. `cut`: says that
   * more is not there.
   */
  kind: 'step' | 'value' | 'more' | 'cut';
  /** Undefined where there is nothing inside. */
  isOpen: boolean | undefined;
  /** Whether only the beginning of the value is known. */
  isCut: boolean;
  says: string;
  /** The row is number `place` of `of` rows beside each other. */
  place: number;
  of: number;
}

export interface OpenRows {
  isOpen: (id: string) => boolean;
  /** How many children of a row are shown. */
  most: (id: string) => number;
}

export const idOf = (path: Path): string => JSON.stringify(path);

/** The rows that are shown: the steps, and what is in the open ones. */
export const rowsOf = (steps: readonly PickerStep[], open: OpenRows): PickerRow[] =>
  steps.flatMap((step, index) => {
    const row = { ...stepRow(step), place: index + 1, of: steps.length };
    const { sample } = step;
    if (!sample || !hasChildren(sample.value)) return [row];
    const isOpen = open.isOpen(row.id);
    const inside = { sample, open, level: 2 };
    return isOpen ? [{ ...row, isOpen }, ...rowsInside(row, inside)] : [{ ...row, isOpen }];
  });

const hasChildren = (value: unknown): boolean => isContainer(value) && sizeOf(value) > 0;

interface Inside {
  sample: CutValue;
  open: OpenRows;
  level: number;
}

function rowsInside(parent: JsonNode, inside: Inside): PickerRow[] {
  const { sample, open, level } = inside;
  const id = idOf(parent.path);
  const known = sizeOf(parent.value as object);
  const children = childrenOf(parent, open.most(id));
  const rows = children.flatMap((child, index) => {
    const row = { ...valueRow(child, sample, level), place: index + 1, of: known };
    if (!hasChildren(child.value)) return [row];
    const isOpen = open.isOpen(row.id);
    return isOpen ? [{ ...row, isOpen }, ...rowsInside(child, { ...inside, level: level + 1 })] : [{ ...row, isOpen }];
  });
  const end = { ...valueRow(parent, sample, level), place: children.length + 1 };
  if (children.length < known) return [...rows, { ...end, id: `${id} more`, kind: 'more', of: known }];
  const all = sample.cuts.get(pointerOf(parent.path.slice(1)));
  return all === undefined ? rows : [...rows, { ...end, id: `${id} cut`, kind: 'cut', of: all }];
}

const stepRow = ({ name, displayName, sample, says }: PickerStep): PickerRow => ({
  ...valueRow({ path: [name], value: sample?.value }, sample, 1),
  kind: 'step',
  label: displayName,
  says,
});

const valueRow = ({ path, value }: JsonNode, sample: CutValue | null, level: number): PickerRow => ({
  id: idOf(path),
  path,
  level,
  label: String(path.at(-1)),
  value,
  kind: 'value',
  isOpen: undefined,
  isCut: sample?.cuts.has(pointerOf(path.slice(1))) ?? false,
  says: '',
  place: 1,
  of: 1,
});

/** The steps and values whose name, text or number contains what is searched, each value by its whole path. */
export function foundRows(steps: readonly PickerStep[], text: string, limit: number): PickerRow[] {
  const wanted = text.toLowerCase();
  const rows: PickerRow[] = [];
  for (const step of steps) {
    const { name, displayName, sample } = step;
    if (rows.length >= limit) break;
    if (displayName.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted)) rows.push(stepRow(step));
    const { nodes } = search(sample?.value, text, limit - rows.length);
    for (const { path, value } of nodes) {
      const whole = [name, ...path];
      rows.push({ ...valueRow({ path: whole, value }, sample, 1), label: pathText(whole) });
    }
  }
  return rows.map((row, index) => ({ ...row, place: index + 1, of: rows.length }));
}
