import { useDeferredValue, useId, useMemo, useState, type KeyboardEvent } from 'react';
import { TextField } from '../controls/field';
import type { Path } from '../json-view/json-nodes';
import styles from './data-picker.module.css';
import { foundRows, idOf, rowsOf, type PickerRow, type PickerStep } from './picker-rows';
import { TreeRow } from './tree-row';
import { useOpenRows } from './use-open-rows';
import { words } from './words';

const MOST_FOUND = 100;

interface DataPickerProps {
  /** The steps before the one that is edited, the first one first. */
  steps: readonly PickerStep[];
  /** Puts a value where it was asked for; returns whether there was a place for it. */
  onChoose: (path: Path) => boolean;
}

/** The data of earlier steps as a tree. What is chosen becomes a token in the field that had the caret. */
export function DataPicker({ steps, onChoose }: DataPickerProps) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [said, setSaid] = useState('');
  const [current, setCurrent] = useState<string | null>(null);
  const { rows: open, toggle, showMore } = useOpenRows();
  const wanted = useDeferredValue(typed.trim());
  const rows = useMemo(
    () => (wanted === '' ? rowsOf(steps, open) : foundRows(steps, wanted, MOST_FOUND)),
    [steps, open, wanted],
  );
  const at = Math.max(
    0,
    rows.findIndex((row) => row.id === current),
  );
  const act = (row: PickerRow) => {
    if (row.kind === 'more') showMore(idOf(row.path));
    else if (row.kind !== 'cut') setSaid(onChoose(row.path) ? '' : words.chooseField);
  };
  const goTo = (index: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (!row) return;
    setCurrent(row.id);
    document.getElementById(`${id}${row.id}`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at];
    const key = row && keysOf(row, { at, rows, goTo, toggle, act })[event.key];
    if (!key) return;
    event.preventDefault();
    event.stopPropagation();
    key();
  };
  return (
    <section aria-label={words.data} className={styles['picker']}>
      <TextField
        label={words.search}
        isLabelHidden
        type="search"
        placeholder={words.search}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      {rows.length > 0 && (
        <div role="tree" aria-label={words.tree} className={styles['tree']} onKeyDown={onKeyDown}>
          {rows.map((row, index) => (
            <TreeRow
              key={row.id}
              id={`${id}${row.id}`}
              row={row}
              isCurrent={index === at}
              onFocus={() => setCurrent(row.id)}
              onToggle={() => toggle(row.id)}
              onChoose={() => act(row)}
            />
          ))}
        </div>
      )}
      {steps.length === 0 && <p className={styles['says']}>{words.nothingBefore}</p>}
      {rows.length === 0 && steps.length > 0 && <p role="status">{words.nothingFound}</p>}
      <p className={styles['says']}>{words.says}</p>
      <p role="status" className={styles['warns']}>
        {said}
      </p>
    </section>
  );
}

interface Surroundings {
  at: number;
  rows: readonly PickerRow[];
  goTo: (index: number) => void;
  toggle: (id: string) => void;
  act: (row: PickerRow) => void;
}

/** What each key does on a row, as in every tree. */
function keysOf(
  row: PickerRow,
  { at, rows, goTo, toggle, act }: Surroundings,
): Record<string, (() => void) | undefined> {
  const parent = rows.slice(0, at).findLastIndex(({ level }) => level < row.level);
  return {
    ArrowDown: () => goTo(at + 1),
    ArrowUp: () => goTo(at - 1),
    Home: () => goTo(0),
    End: () => goTo(rows.length - 1),
    ArrowRight: row.isOpen === false ? () => toggle(row.id) : row.isOpen ? () => goTo(at + 1) : undefined,
    ArrowLeft: row.isOpen ? () => toggle(row.id) : parent >= 0 ? () => goTo(parent) : undefined,
    Enter: () => act(row),
    ' ': () => act(row),
  };
}
