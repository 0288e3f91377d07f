import { valueAt, type Path } from './json-nodes';
import { pointerOf } from './json-pointer';

/** A value of whose long parts only the beginning is known. */
export interface CutValue {
  value: unknown;
  /** How many characters, items or members each part has that was cut, by its JSON pointer. */
  cuts: ReadonlyMap<string, number>;
}

export interface Cut {
  path: string;
  count: number;
}

export const cutValueOf = (value: unknown, cuts: readonly Cut[]): CutValue => ({
  value,
  cuts: new Map(cuts.map(({ path, count }) => [path, count])),
});

/** Whether the value at a path is known as a whole. That there is none is known as well. */
export function isKnownAt({ value, cuts }: CutValue, path: Path): boolean {
  if (cuts.size === 0) return true;
  const isThere = valueAt(value, path) !== undefined;
  if (!isThere) return path.every((_part, length) => !cuts.has(pointerOf(path.slice(0, length))));
  const pointer = pointerOf(path);
  return [...cuts.keys()].every((cut) => cut !== pointer && !cut.startsWith(`${pointer}/`));
}
