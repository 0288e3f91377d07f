import { MAX_NOTE_LENGTH, MAX_NOTES_PER_VERSION, type FlowNote } from './flow-note';
import { isJsonObject, JsonReader, pointer, type RequestProblems } from '../json/json-reader';
import { number, object, optional, readMembers, text } from '../json/request-shape';

export const NOTE_ID = text({ minLength: 1, maxLength: 100 });
export const NOTE_CONTENT = text({ maxLength: MAX_NOTE_LENGTH });

const POSITION = { x: number(), y: number() };
const SIZE = { width: number(), height: number() };

/** The members of a note that determine how it looks. */
export const NOTE_LOOKS = {
  color: optional(text({ maxLength: 50 })),
  position: optional(object(POSITION)),
  size: optional(object(SIZE)),
};

/**
 * Reads the notes of an imported definition. A note without an id gets the first free id of `note_1`, `note_2`, …, so
 * the same import gives the same ids. Unknown members are kept unchanged. A known member with a wrong shape and an id
 * that is used twice are problems.
 */
export function parseNotes(entries: readonly unknown[], path: string, problems: RequestProblems): FlowNote[] {
  if (entries.length > MAX_NOTES_PER_VERSION)
    problems.add(path, `must hold at most ${MAX_NOTES_PER_VERSION} notes, and holds ${entries.length}.`);
  const taken = new Set<string>();
  const notes = entries.slice(0, MAX_NOTES_PER_VERSION).flatMap((entry, index) => {
    if (isJsonObject(entry)) return [parseNote(entry, new JsonReader(entry, pointer(path, index), problems), taken)];
    problems.add(pointer(path, index), 'must be an object.');
    return [];
  });
  return withIds(notes, taken);
}

function parseNote(entry: object, reader: JsonReader, taken: Set<string>): Omit<FlowNote, 'id'> & { id?: string } {
  const id = optional(NOTE_ID).read(reader, 'id');
  if (id !== undefined && taken.has(id)) reader.wrong('id', `is the id of a second note ${JSON.stringify(id)}.`);
  if (id !== undefined) taken.add(id);
  NOTE_LOOKS.color.read(reader, 'color');
  if (reader.has('position')) readMembers(POSITION, reader.inside('position'));
  if (reader.has('size')) readMembers(SIZE, reader.inside('size'));
  if (reader.any('ownerId') !== null) reader.text('ownerId', undefined);
  reader.text('createdAt', undefined);
  reader.text('updatedAt', undefined);
  return { ...entry, content: optional(NOTE_CONTENT).read(reader, 'content') ?? '' };
}

function withIds(notes: readonly (Omit<FlowNote, 'id'> & { id?: string })[], taken: Set<string>): FlowNote[] {
  let number = 1;
  return notes.map((note) => {
    if (note.id !== undefined) return note as FlowNote;
    while (taken.has(`note_${number}`)) number++;
    return { ...note, id: `note_${number++}` } as FlowNote;
  });
}
