import { bodiesOf, chainOf, placeAfter, type Place, type Step } from './step';

/** A row of the outline: a step, or a branch of a router. */
export interface OutlineRow {
  id: string;
  label: string;
  /** The step of the row; null for a branch. */
  step: Step | null;
  /** The row around this one; null at the top. */
  parentId: string | null;
  /** From 1, as `aria-level`, `aria-posinset` and `aria-setsize` count. */
  level: number;
  position: number;
  siblings: number;
  hasRows: boolean;
  /** Where a step is put that is added at this row. */
  place: Place;
}

/** The rows in the order in which they are read. */
export function outlineRows(trigger: Step): OutlineRow[] {
  const rows: OutlineRow[] = [];
  addChain(trigger, null, 1, rows);
  return rows;
}

/** The rows that are seen while some rows are closed. */
export function openRows(rows: readonly OutlineRow[], closed: ReadonlySet<string>): OutlineRow[] {
  const hidden = new Set<string>();
  return rows.filter(({ id, parentId }) => {
    const isHidden = parentId !== null && (closed.has(parentId) || hidden.has(parentId));
    if (isHidden) hidden.add(id);
    return !isHidden;
  });
}

function addChain(first: Step | null, parentId: string | null, level: number, rows: OutlineRow[]): void {
  const steps = [...chainOf(first)];
  steps.forEach((step, index) => {
    const bodies = bodiesOf(step);
    const hasRows = bodies.some(({ first: inside, branchName }) => inside !== null || branchName !== null);
    rows.push({
      id: step.name,
      label: step.displayName,
      step,
      parentId,
      level,
      position: index + 1,
      siblings: steps.length,
      hasRows,
      place: placeAfter(step),
    });
    addBodies(step, level + 1, rows);
  });
}

function addBodies(step: Step, level: number, rows: OutlineRow[]): void {
  const bodies = bodiesOf(step);
  bodies.forEach(({ first, branchName, place }, index) => {
    if (branchName === null) return addChain(first, step.name, level, rows);
    const id = `${step.name}/${index}`;
    rows.push({
      id,
      label: branchName,
      step: null,
      parentId: step.name,
      level,
      position: index + 1,
      siblings: bodies.length,
      hasRows: first !== null,
      place,
    });
    addChain(first, id, level + 1, rows);
  });
}
