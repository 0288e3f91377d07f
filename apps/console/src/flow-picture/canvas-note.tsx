import { useStoreApi } from '@xyflow/react';
import { useRef, useState, type CSSProperties, type PointerEvent } from 'react';
import styles from './flow-picture.module.css';
import { colorOf, LEAST_NOTE, noteBox } from './note-box';
import { usePicture, type PictureNote } from './picture-context';
import { noteRow } from './picture-state';
import { useWishedFocus } from './use-wished-focus';
import { words } from './words';

interface Shift {
  kind: 'move' | 'resize';
  x: number;
  y: number;
}

/** A remark on the canvas: its head moves it, its corner changes its size, and its text is written in place. */
export function NoteOnCanvas({ note }: { note: PictureNote }) {
  const { onNote, NoteBody } = usePicture();
  const [shift, setShift] = useState<Shift | null>(null);
  const begin = useNoteDrag(note, setShift);
  const text = useRef<HTMLTextAreaElement>(null);
  useWishedFocus(text, (id) => id === noteRow(note.id));
  return (
    <div
      role="group"
      aria-label={words.note}
      data-note={note.id}
      data-color={colorOf(note)}
      className={`nopan ${styles['note']}`}
      style={styleOf(shift)}
      onContextMenu={(event) => event.stopPropagation()}
    >
      {onNote && <div className={styles['noteHead']} onPointerDown={(event) => begin(event, 'move')} />}
      {NoteBody ? <NoteBody ref={text} note={note} /> : <p className={styles['noteText']}>{note.content}</p>}
      {onNote && <div className={styles['noteCorner']} onPointerDown={(event) => begin(event, 'resize')} />}
    </div>
  );
}

/** How a note looks while it is dragged, before that is a change of the flow. */
function styleOf(shift: Shift | null): CSSProperties | undefined {
  if (!shift) return undefined;
  const [x, y] = [`${shift.x}px`, `${shift.y}px`];
  if (shift.kind === 'move') return { transform: `translate(${x}, ${y})` };
  return { width: `calc(100% + ${x})`, height: `calc(100% + ${y})` };
}

function useNoteDrag(note: PictureNote, setShift: (shift: Shift | null) => void) {
  const { onNote } = usePicture();
  const store = useStoreApi();
  return (event: PointerEvent<HTMLElement>, kind: Shift['kind']) => {
    if (event.button !== 0) return;
    event.preventDefault();
    const handle = event.currentTarget;
    const [fromX, fromY] = [event.clientX, event.clientY];
    let shift: Shift = { kind, x: 0, y: 0 };
    const onMove = ({ clientX, clientY }: globalThis.PointerEvent) => {
      const [, , zoom] = store.getState().transform;
      shift = { kind, x: (clientX - fromX) / zoom, y: (clientY - fromY) / zoom };
      setShift(shift);
    };
    const onEnd = () => {
      handle.removeEventListener('pointermove', onMove);
      setShift(null);
      if (shift.x !== 0 || shift.y !== 0) onNote?.(note.id, changedBy(note, shift));
    };
    handle.setPointerCapture(event.pointerId);
    handle.addEventListener('pointermove', onMove);
    handle.addEventListener('lostpointercapture', onEnd, { once: true });
  };
}

function changedBy(note: PictureNote, { kind, x, y }: Shift): Partial<PictureNote> {
  const box = noteBox(note, 0);
  if (kind === 'move') return { position: { x: Math.round(box.x + x), y: Math.round(box.y + y) } };
  const width = Math.max(LEAST_NOTE.width, Math.round(box.width + x));
  return { size: { width, height: Math.max(LEAST_NOTE.height, Math.round(box.height + y)) } };
}
