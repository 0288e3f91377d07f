import { useCallback, type RefObject } from 'react';
import type { CanvasMoves } from '../flow-picture/canvas-moves';
import { NOTE_SIZE, noteBox } from '../flow-picture/note-box';
import type { PictureNote } from '../flow-picture/picture-context';
import type { DraftStore } from './draft-store';
import type { Operation } from './operation';

interface NotesOf {
  store: DraftStore;
  canEdit: boolean;
  moves: RefObject<CanvasMoves | null>;
  goToNote: (id: string) => void;
}

/** Makes, changes and finds the notes of a flow. */
export function useNotes({ store, canEdit, moves, goToNote }: NotesOf) {
  const edit = useCallback(
    (operation: Operation) => store.dispatch({ kind: 'edit', operations: [operation] }),
    [store],
  );
  const onNote = useCallback(
    (id: string, changes: Partial<PictureNote> | null) =>
      edit(changes ? { type: 'UPDATE_NOTE', request: { ...changes, id } } : { type: 'DELETE_NOTE', request: { id } }),
    [edit],
  );
  const showNote = useCallback(
    (note: PictureNote) => {
      const { notes } = store.current().shown;
      const { x, y, width, height } = noteBox(
        note,
        notes.findIndex(({ id }) => id === note.id),
      );
      moves.current?.show({ x: x + width / 2, y: y + height / 2 });
      goToNote(note.id);
    },
    [store, moves, goToNote],
  );
  const addNote = (at: { x: number; y: number } = { x: 0, y: 0 }) => {
    if (!canEdit) return;
    const id = freeId(store.current().shown.notes);
    const position = { x: at.x, y: at.y };
    edit({ type: 'ADD_NOTE', request: { id, content: '', color: 'yellow', position, size: NOTE_SIZE } });
    goToNote(id);
  };
  return { onNote, showNote, addNote };
}

function freeId(notes: readonly PictureNote[]): string {
  const taken = new Set(notes.map(({ id }) => id));
  let number = 1;
  while (taken.has(`note_${number}`)) number += 1;
  return `note_${number}`;
}
