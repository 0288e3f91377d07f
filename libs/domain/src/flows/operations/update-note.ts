import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import type { PopulatedFlow } from '../flow';
import type { FlowNote } from '../flow-note';
import type { FlowChange } from '../flow.repository';
import type { JsonReader } from '../../json/json-reader';
import { appearanceOf, contentOf, type NoteAppearance } from '../parse-notes';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';

interface UpdateNoteRequest {
  id: string;
  changes: NoteAppearance & Pick<FlowNote, 'ownerId'> & { content?: string };
}

/** Changes the given members of a note. */
export const UPDATE_NOTE: FlowOperationRule<UpdateNoteRequest> = { parse, apply };

function parse(reader: JsonReader): UpdateNoteRequest {
  const id = reader.requiredText('id');
  const content = contentOf(reader, undefined);
  const ownerId = reader.text('ownerId', undefined);
  const changes = {
    ...(content === undefined ? {} : { content }),
    ...(ownerId === undefined ? {} : { ownerId }),
    ...appearanceOf(reader),
  };
  const changeable = ['content', 'color', 'position', 'size', 'ownerId'];
  if (!changeable.some((member) => reader.has(member)))
    reader.wrong('content', `or one of ${changeable.slice(1).join(', ')} is required.`);
  return { id, changes };
}

async function apply(
  current: PopulatedFlow,
  { id, changes }: UpdateNoteRequest,
  context: OperationContext,
): Promise<FlowChange> {
  const { notes } = current.version;
  assertHasNote(notes, id);
  if (changes.ownerId && !(await context.hasMember(changes.ownerId)))
    throw new FlowOperationInvalidError(`The user ${JSON.stringify(changes.ownerId)} has no role in the project.`);
  const updatedAt = context.now.toISOString();
  return editDraft(current, context, () => ({
    notes: notes.map((note) => (note.id === id ? { ...note, ...changes, updatedAt } : note)),
  }));
}

/** Throws FlowOperationInvalidError when there is no such note. */
export function assertHasNote(notes: readonly FlowNote[], id: string): void {
  if (!notes.some((note) => note.id === id))
    throw new FlowOperationInvalidError(`There is no note ${JSON.stringify(id)} in the flow.`);
}
