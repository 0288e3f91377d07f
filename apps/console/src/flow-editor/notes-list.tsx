import styles from './flow-editor.module.css';
import type { Note } from './definition';
import { words } from './words';

interface NotesListProps {
  notes: readonly Note[];
  onShow: (note: Note) => void;
}

/** The notes of the flow, below its outline: who does not see the canvas finds them here. */
export function NotesList({ notes, onShow }: NotesListProps) {
  if (notes.length === 0) return null;
  return (
    <section className={styles['notes']} aria-labelledby="notes">
      <h2 id="notes">{words.notes}</h2>
      <ul>
        {notes.map((note) => (
          <li key={note.id}>
            <button type="button" onClick={() => onShow(note)}>
              {note.content.trim() || words.emptyNote}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
