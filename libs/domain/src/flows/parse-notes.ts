import { MAX_NOTE_LENGTH, MAX_NOTES_PER_VERSION, type FlowNote } from './flow-note';
import { isJsonObject, JsonReader, pointer, type RequestProblems } from '../json/json-reader';

const MAX_NOTE_ID_LENGTH = 100;
const MAX_COLOR_LENGTH = 50;

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
  const id = noteIdOf(reader);
  if (id !== undefined && taken.has(id)) reader.wrong('id', `is the id of a second note ${JSON.stringify(id)}.`);
  if (id !== undefined) taken.add(id);
  colorOf(reader);
  if (reader.has('position')) measuresOf(reader.inside('position'), 'x', 'y', false);
  if (reader.has('size')) measuresOf(reader.inside('size'), 'width', 'height', false);
  if (reader.any('ownerId') !== null) reader.text('ownerId', undefined);
  reader.text('createdAt', undefined);
  reader.text('updatedAt', undefined);
  return { ...entry, content: contentOf(reader, '') };
}

function withIds(notes: readonly (Omit<FlowNote, 'id'> & { id?: string })[], taken: Set<string>): FlowNote[] {
  let number = 1;
  return notes.map((note) => {
    if (note.id !== undefined) return note as FlowNote;
    while (taken.has(`note_${number}`)) number++;
    return { ...note, id: `note_${number++}` } as FlowNote;
  });
}

/** The given members of a note that determine how it looks. */
export type NoteAppearance = Pick<FlowNote, 'color' | 'position' | 'size'>;

/** Reads the appearance in the request of an operation. Unknown members of `position` and `size` are refused. */
export function appearanceOf(reader: JsonReader): NoteAppearance {
  const appearance: NoteAppearance = {};
  const color = colorOf(reader);
  if (color !== undefined) appearance.color = color;
  if (reader.has('position')) appearance.position = measuresOf(reader.inside('position'), 'x', 'y', true);
  if (reader.has('size')) appearance.size = measuresOf(reader.inside('size'), 'width', 'height', true);
  return appearance;
}

export function noteIdOf(reader: JsonReader): string | undefined {
  const id = reader.text('id', undefined);
  if (id === '' || (id?.length ?? 0) > MAX_NOTE_ID_LENGTH)
    reader.wrong('id', `must have between 1 and ${MAX_NOTE_ID_LENGTH} characters.`);
  return id;
}

export function contentOf<D>(reader: JsonReader, absent: D): string | D {
  const content = reader.text('content', absent);
  if (typeof content === 'string' && content.length > MAX_NOTE_LENGTH)
    reader.wrong('content', `must have at most ${MAX_NOTE_LENGTH} characters.`);
  return content;
}

function colorOf(reader: JsonReader): string | undefined {
  const color = reader.text('color', undefined);
  if ((color?.length ?? 0) > MAX_COLOR_LENGTH)
    reader.wrong('color', `must have at most ${MAX_COLOR_LENGTH} characters.`);
  return color;
}

/** Reads an object of two numbers. */
function measuresOf<First extends string, Second extends string>(
  reader: JsonReader,
  first: First,
  second: Second,
  refusesOthers: boolean,
): Record<First | Second, number> {
  reader.needs(first, second);
  const measures = { [first]: reader.number(first, 0), [second]: reader.number(second, 0) };
  if (refusesOthers) reader.refuseOthers();
  return measures as Record<First | Second, number>;
}
