import type { CSSProperties, DragEvent, MouseEvent } from 'react';
import { DRAGGED_PATH } from '../json-view/dragged-path';
import { pathText } from '../json-view/json-nodes';
import { briefly, typeWord } from '../json-view/value-words';
import styles from './data-picker.module.css';
import type { PickerRow } from './picker-rows';
import { words } from './words';

interface TreeRowProps {
  id: string;
  row: PickerRow;
  /** Whether the keyboard comes to this row. */
  isCurrent: boolean;
  onFocus: () => void;
  onToggle: () => void;
  onChoose: () => void;
}

export function TreeRow({ id, row, isCurrent, onFocus, onToggle, onChoose }: TreeRowProps) {
  const { kind, level, isOpen, place, of } = row;
  const canBeChosen = kind === 'value' || kind === 'step';
  // The sign, and a step as a whole, open and close; what is in a step is put into the field.
  const onClick = ({ target }: MouseEvent) => {
    const isSign = target instanceof Element && target.closest('[data-sign]') !== null;
    if (isOpen !== undefined && (isSign || kind === 'step')) onToggle();
    else onChoose();
  };
  const onDragStart = ({ dataTransfer }: DragEvent) => {
    dataTransfer.setData('text/plain', `{{ ${pathText(row.path)} }}`);
    dataTransfer.setData(DRAGGED_PATH, JSON.stringify(row.path));
    dataTransfer.effectAllowed = 'copy';
  };
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={level}
      aria-posinset={place}
      aria-setsize={Math.max(of, place)}
      aria-expanded={isOpen}
      tabIndex={isCurrent ? 0 : -1}
      className={styles['row']}
      data-kind={kind}
      style={{ '--level': level } as CSSProperties}
      draggable={canBeChosen}
      onDragStart={onDragStart}
      onFocus={onFocus}
      onClick={onClick}
    >
      <span data-sign aria-hidden className={styles['sign']}>
        {isOpen === undefined ? '' : isOpen ? '▾' : '▸'}
      </span>
      {kind === 'more' && <span>{words.more(place - 1, of)}</span>}
      {kind === 'cut' && <span className={styles['quiet']}>{words.cut(place - 1, of)}</span>}
      {canBeChosen && <Choice row={row} />}
    </div>
  );
}

/** The name of a value, what it is, and of which type. */
function Choice({ row: { kind, label, value, isOpen, isCut, says } }: { row: PickerRow }) {
  const isWhole = kind === 'step' && isOpen !== undefined;
  return (
    <>
      <span className={styles['label']}>{label}</span>{' '}
      {kind === 'step' && <span className={styles['quiet']}>{says}</span>}{' '}
      {value !== undefined && !isWhole && (
        <>
          <span className={styles['value']}>
            {briefly(value)}
            {isCut && typeof value === 'string' ? '…' : ''}
          </span>{' '}
          <span className={styles['quiet']}>{typeWord(value)}</span>
        </>
      )}
    </>
  );
}
