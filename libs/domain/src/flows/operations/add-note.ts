import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import type { PopulatedFlow } from '../flow';
import { MAX_NOTES_PER_VERSION, type FlowNote } from '../flow-note';
import type { FlowChange } from '../flow.repository';
import type { JsonReader } from '../../json/json-reader';
import { appearanceOf, contentOf, noteIdOf, type NoteAppearance } from '../parse-notes';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';

interface AddNoteRequest {
  id?: string;
  content: string;
  appearance: NoteAppearance;
}

/** Adds a note of the caller to the draft. A note without an id gets a new one. */
export const ADD_NOTE: FlowOperationRule<AddNoteRequest> = { parse, apply };

function parse(reader: JsonReader): AddNoteRequest {
  reader.needs('content');
  return { id: noteIdOf(reader), content: contentOf(reader, ''), appearance: appearanceOf(reader) };
}

async function apply(
  current: PopulatedFlow,
  { id: givenId, content, appearance }: AddNoteRequest,
  context: OperationContext,
): Promise<FlowChange> {
  const { notes } = current.version;
  if (notes.length >= MAX_NOTES_PER_VERSION)
    throw new FlowOperationInvalidError(`A flow has at most ${MAX_NOTES_PER_VERSION} notes.`);
  const id = givenId ?? context.newId();
  if (notes.some((note) => note.id === id))
    throw new FlowOperationInvalidError(`There is a note ${JSON.stringify(id)} in the flow already.`);
  const time = context.now.toISOString();
  const ownerId = context.principal.userId;
  const note: FlowNote = { id, content, ...appearance, ownerId, createdAt: time, updatedAt: time };
  return editDraft(current, context, () => ({ notes: [...notes, note] }));
}
