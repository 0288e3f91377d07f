import { ExclamationTriangleIcon } from '@radix-ui/react-icons';
import { memo, useEffect, useMemo, useRef, type KeyboardEvent, type MouseEvent } from 'react';
import { ExactText } from '../controls/exact-text';
import { Status } from '../controls/status';
import styles from './flow-picture.module.css';
import { openRows, outlineRows, type OutlineRow } from './outline-rows';
import type { Mark, MenuTarget, Picture } from './picture-context';
import { toggled, usePictureState, type PictureState } from './picture-state';
import { StepIcon } from './step-card';
import { words } from './words';

interface OutlineProps extends Picture {
  /** Shared with the canvas where there is one. */
  state?: PictureState;
}

/** The steps as a tree, which does by keyboard what the canvas does by mouse: arrows move, Enter opens. */
export function Outline(props: OutlineProps) {
  const { trigger, selected, marks, branches } = props;
  const ownState = usePictureState(trigger, selected);
  const state = props.state ?? ownState;
  const tree = useRef<HTMLUListElement>(null);
  const all = useMemo(() => outlineRows(trigger), [trigger]);
  const rows = useMemo(() => openRows(all, state.closed), [all, state.closed]);
  const inTabOrder = (rows.find(({ id }) => id === state.current) ?? rows[0])?.id;
  const events = useRowEvents(props, rows, state);
  useWishedRow(tree, state);
  return (
    <ul ref={tree} role="tree" aria-label={words.outline} aria-multiselectable className={styles['outline']}>
      {rows.map((row) => (
        <Row
          key={row.id}
          row={row}
          mark={row.step ? marks?.get(row.id) : branches?.get(row.id)}
          isSelected={row.step !== null && (row.id === selected || state.marked.has(row.id))}
          isClosed={state.closed.has(row.id)}
          isInTabOrder={row.id === inTabOrder}
          events={events}
        />
      ))}
    </ul>
  );
}

interface RowEvents {
  onFocus: (row: OutlineRow) => void;
  onClick: (event: MouseEvent, row: OutlineRow) => void;
  onContextMenu: (event: MouseEvent, row: OutlineRow) => void;
  onKeyDown: (event: KeyboardEvent, row: OutlineRow) => void;
}

interface RowProps {
  row: OutlineRow;
  mark: Mark | undefined;
  isSelected: boolean;
  isClosed: boolean;
  isInTabOrder: boolean;
  events: RowEvents;
}

const INDENT_PX = 14;

/** Of hundreds of rows only those are drawn again that change. */
const Row = memo(function Row({ row, mark, isSelected, isClosed, isInTabOrder, events }: RowProps) {
  return (
    <li
      role="treeitem"
      data-row={row.id}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={isSelected}
      aria-expanded={row.hasRows ? !isClosed : undefined}
      tabIndex={isInTabOrder ? 0 : -1}
      style={{ paddingInlineStart: row.level * INDENT_PX }}
      className={styles['row']}
      onFocus={() => events.onFocus(row)}
      onClick={(event) => events.onClick(event, row)}
      onContextMenu={(event) => events.onContextMenu(event, row)}
      onKeyDown={(event) => events.onKeyDown(event, row)}
    >
      {row.step ? <StepIcon type={row.step.type} /> : <span aria-hidden="true">└</span>}
      <span className={styles['name']}>
        <ExactText text={row.label} />
      </span>
      <RowMark row={row} mark={mark} />
    </li>
  );
});

function RowMark({ row: { step }, mark }: { row: OutlineRow; mark: Mark | undefined }) {
  if (mark) return <Status tone={mark.tone} word={mark.word} isWordHidden />;
  if (!step) return null;
  if (!step.valid)
    return <ExclamationTriangleIcon className={styles['problem']} role="img" aria-label={words.hasProblem} />;
  return step.skip ? <span className={styles['kind']}>{words.skipped}</span> : null;
}

/** What rows do. It stays the same object, so that rows are not drawn again for it. */
function useRowEvents({ onSelect, onMenu }: OutlineProps, rows: readonly OutlineRow[], state: PictureState): RowEvents {
  const latest = useRef({ onSelect, onMenu, rows, state });
  useEffect(() => {
    latest.current = { onSelect, onMenu, rows, state };
  });
  return useMemo(() => {
    const choose = ({ step, id }: OutlineRow, isByKey: boolean) =>
      step ? latest.current.onSelect(step.name, isByKey) : latest.current.state.toggle(id);
    return {
      onFocus: ({ id }) => latest.current.state.onFocus(id),
      onClick: (event, row) => {
        const { marked, mark } = latest.current.state;
        if (!event.shiftKey) choose(row, false);
        else if (row.step) mark(toggled(marked, row.step.name));
      },
      onContextMenu: (event, row) => {
        if (!latest.current.onMenu) return;
        event.preventDefault();
        latest.current.onMenu(targetOf(row), { x: event.clientX, y: event.clientY });
      },
      onKeyDown: (event, row) => onRowKey(event, { ...latest.current, row, choose }),
    };
  }, []);
}

const targetOf = ({ step, place, label }: OutlineRow): MenuTarget =>
  step ? { kind: 'step', name: step.name } : { kind: 'place', place, after: label };

interface RowKey {
  row: OutlineRow;
  rows: readonly OutlineRow[];
  state: PictureState;
  choose: (row: OutlineRow, isByKey: boolean) => void;
}

/** Keys as in every tree: https://www.w3.org/WAI/ARIA/apg/patterns/treeview/ */
function onRowKey(event: KeyboardEvent, { row, rows, state, choose }: RowKey): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isClosed = state.closed.has(row.id);
  const index = rows.indexOf(row);
  const go = (to: OutlineRow | undefined) => {
    if (!to) return;
    const [first, last] = [index, rows.indexOf(to)].sort((a, b) => a - b) as [number, number];
    const between = rows.slice(first, last + 1).flatMap(({ step }) => step?.name ?? []);
    state.mark(event.shiftKey ? new Set([...state.marked, ...between]) : new Set());
    state.goTo(to.id, 'outline');
  };
  const keys: Record<string, () => unknown> = {
    ArrowDown: () => go(rows[index + 1]),
    ArrowUp: () => go(rows[index - 1]),
    Home: () => go(rows[0]),
    End: () => go(rows.at(-1)),
    ArrowRight: () => (row.hasRows && isClosed ? state.toggle(row.id) : row.hasRows && go(rows[index + 1])),
    ArrowLeft: () => (row.hasRows && !isClosed ? state.toggle(row.id) : go(rows.find(({ id }) => id === row.parentId))),
    Enter: () => choose(row, true),
    ' ': () => choose(row, true),
  };
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}

/** The focus goes to a row that is wished for. */
function useWishedRow(tree: { current: HTMLUListElement | null }, { wish, onFulfilled }: PictureState): void {
  useEffect(() => {
    if (wish?.view !== 'outline') return;
    tree.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(wish.id)}"]`)?.focus();
    onFulfilled();
  }, [tree, wish, onFulfilled]);
}
