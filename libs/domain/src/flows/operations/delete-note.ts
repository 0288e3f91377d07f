import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import { editDraft } from './edit-draft';
import { shapeOf, text } from '../../json/request-shape';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { assertHasNote } from './update-note';

export const DELETE_NOTE: FlowOperationRule<{ id: string }> = {
  request: shapeOf({ id: text() }),
  apply: deleteNote,
};

/** Throws FlowOperationInvalidError when there is no such note. */
function deleteNote(current: PopulatedFlow, { id }: { id: string }, context: OperationContext): Promise<FlowChange> {
  const { notes } = current.version;
  assertHasNote(notes, id);
  return editDraft(current, context, () => ({ notes: notes.filter((note) => note.id !== id) }));
}
