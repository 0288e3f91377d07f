import { DotsVerticalIcon } from '@radix-ui/react-icons';
import type { Ref } from 'react';
import { Button } from '../controls/button';
import { Menu, MenuItem } from '../controls/menu';
import { NOTE_COLORS, noteBox } from '../flow-picture/note-box';
import { usePicture, type PictureNote } from '../flow-picture/picture-context';
import styles from './flow-editor.module.css';
import { useTyped } from './use-typed';
import { words } from './words';

/** The service keeps no more of one note. */
const MOST_CHARACTERS = 10_000;
/** How far a note goes without a mouse. */
const STEP = 60;

/** The text of a note, written in place, and what else can be done with the note. */
export function NoteBody({ note, ref }: { note: PictureNote; ref: Ref<HTMLTextAreaElement> }) {
  const { onNote } = usePicture();
  const { value, type, flush } = useTyped(note.content, (content) => onNote?.(note.id, { content }));
  return (
    <>
      {onNote && <NoteMenu note={note} />}
      <textarea
        ref={ref}
        className={styles['noteText']}
        aria-label={words.noteText}
        placeholder={words.notePlaceholder}
        maxLength={MOST_CHARACTERS}
        readOnly={!onNote}
        value={value}
        onChange={(event) => type(event.target.value)}
        onBlur={flush}
      />
    </>
  );
}

function NoteMenu({ note }: { note: PictureNote }) {
  const { onNote } = usePicture();
  const { x, y, width, height } = noteBox(note, 0);
  const move = (byX: number, byY: number) => onNote?.(note.id, { position: { x: x + byX, y: y + byY } });
  const grow = (by: number) => onNote?.(note.id, { size: { width: width + by, height: height + by / 2 } });
  return (
    <Menu
      opener={
        <Button className={styles['noteMenu']} aria-label={words.noteMenu} title={words.noteMenu}>
          <DotsVerticalIcon aria-hidden />
        </Button>
      }
    >
      {NOTE_COLORS.map((color) => (
        <MenuItem key={color} onChoose={() => onNote?.(note.id, { color })}>
          {words.noteColors[color]}
        </MenuItem>
      ))}
      <MenuItem onChoose={() => move(-STEP, 0)}>{words.moveLeft}</MenuItem>
      <MenuItem onChoose={() => move(STEP, 0)}>{words.moveRight}</MenuItem>
      <MenuItem onChoose={() => move(0, -STEP)}>{words.moveUp}</MenuItem>
      <MenuItem onChoose={() => move(0, STEP)}>{words.moveDown}</MenuItem>
      <MenuItem onChoose={() => grow(STEP)}>{words.larger}</MenuItem>
      <MenuItem onChoose={() => grow(-STEP)}>{words.smaller}</MenuItem>
      <MenuItem onChoose={() => onNote?.(note.id, null)}>{words.deleteNote}</MenuItem>
    </Menu>
  );
}
