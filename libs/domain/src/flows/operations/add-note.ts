import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import type { PopulatedFlow } from '../flow';
import { MAX_NOTES_PER_VERSION, type FlowNote } from '../flow-note';
import type { FlowChange } from '../flow.repository';
import { index, optional, shapeOf, type ValueOf } from '../../json/request-shape';
import { NOTE_CONTENT, NOTE_ID, NOTE_LOOKS } from '../parse-notes';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';

const REQUEST = shapeOf({
  id: optional(NOTE_ID),
  content: NOTE_CONTENT,
  ...NOTE_LOOKS,
  index: optional(index()),
});
type AddNoteRequest = ValueOf<typeof REQUEST>;

/**
 * Adds a note of the caller to the draft. A note without an id gets a new one. Notes lie upon each other in their order;
 * without an index, or with one past the end, the note is the last.
 */
export const ADD_NOTE: FlowOperationRule<AddNoteRequest> = { request: REQUEST, apply };

async function apply(
  current: PopulatedFlow,
  { id: givenId, index: at, ...given }: AddNoteRequest,
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
  const note: FlowNote = { id, ...given, ownerId, createdAt: time, updatedAt: time };
  return editDraft(current, context, () => ({ notes: notes.toSpliced(at ?? notes.length, 0, note) }));
}
