import { ExclamationTriangleIcon } from '@radix-ui/react-icons';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { ExactText } from '../controls/exact-text';
import { Status } from '../controls/status';
import styles from './flow-picture.module.css';
import { openRows, outlineRows, type OutlineRow } from './outline-rows';
import type { Mark, Picture } from './picture-context';
import { StepIcon } from './step-card';
import type { Step } from './step';
import { words } from './words';

interface OutlineProps extends Picture {
  trigger: Step;
}

/** The steps as a tree, which does by keyboard what the canvas does by mouse: arrows move, Enter selects, "a" adds. */
export function Outline({ trigger, selected, onSelect, marks, branches, onAdd }: OutlineProps) {
  const tree = useRef<HTMLUListElement>(null);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState<string>();
  const all = useMemo(() => outlineRows(trigger), [trigger]);
  const rows = useMemo(() => openRows(all, closed), [all, closed]);
  const inTabOrder = (rows.find(({ id }) => id === focused) ?? rows.find(({ id }) => id === selected) ?? rows[0])?.id;

  const focus = (row: OutlineRow | undefined) => {
    if (!row) return;
    setFocused(row.id);
    tree.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(row.id)}"]`)?.focus();
  };
  const toggle = ({ id, hasRows }: OutlineRow) => hasRows && setClosed((before) => toggled(before, id));
  const choose = (row: OutlineRow) => (row.step ? onSelect(row.step.name) : toggle(row));

  const onKeyDown = (event: KeyboardEvent, row: OutlineRow, index: number) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isClosed = closed.has(row.id);
    const keys: Record<string, () => unknown> = {
      ArrowDown: () => focus(rows[index + 1]),
      ArrowUp: () => focus(rows[index - 1]),
      Home: () => focus(rows[0]),
      End: () => focus(rows.at(-1)),
      ArrowRight: () => (row.hasRows && isClosed ? toggle(row) : row.hasRows && focus(rows[index + 1])),
      ArrowLeft: () => (row.hasRows && !isClosed ? toggle(row) : focus(rows.find(({ id }) => id === row.parentId))),
      Enter: () => choose(row),
      ' ': () => choose(row),
      a: () => onAdd?.(row.place, row.label),
      '/': () => onAdd?.(row.place, row.label),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };

  return (
    <ul ref={tree} role="tree" aria-label={words.outline} className={styles['outline']}>
      {rows.map((row, index) => (
        <li
          key={row.id}
          role="treeitem"
          data-row={row.id}
          aria-level={row.level}
          aria-posinset={row.position}
          aria-setsize={row.siblings}
          aria-selected={row.step !== null && row.id === selected}
          aria-expanded={row.hasRows ? !closed.has(row.id) : undefined}
          tabIndex={row.id === inTabOrder ? 0 : -1}
          style={{ paddingInlineStart: row.level * INDENT_PX }}
          className={styles['row']}
          onClick={() => {
            setFocused(row.id);
            choose(row);
          }}
          onKeyDown={(event) => onKeyDown(event, row, index)}
        >
          <RowSign row={row} />
          <span className={styles['name']}>
            <ExactText text={row.label} />
          </span>
          <RowMark row={row} mark={row.step ? marks?.get(row.id) : branches?.get(row.id)} />
        </li>
      ))}
    </ul>
  );
}

const INDENT_PX = 14;

const RowSign = ({ row: { step } }: { row: OutlineRow }) =>
  step ? <StepIcon type={step.type} /> : <span aria-hidden="true">└</span>;

function RowMark({ row: { step }, mark }: { row: OutlineRow; mark: Mark | undefined }) {
  if (mark) return <Status tone={mark.tone} word={mark.word} isWordHidden />;
  if (!step) return null;
  if (!step.valid)
    return <ExclamationTriangleIcon className={styles['problem']} role="img" aria-label={words.hasProblem} />;
  return step.skip ? <span className={styles['kind']}>{words.skipped}</span> : null;
}

function toggled(before: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(id)) after.add(id);
  return after;
}
