import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import type { PopulatedFlow } from '../flow';
import type { FlowNote } from '../flow-note';
import type { FlowChange } from '../flow.repository';
import { optional, shapeOf, text, type RequestShape, type ValueOf } from '../../json/request-shape';
import { NOTE_CONTENT, NOTE_LOOKS } from '../parse-notes';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';

/** What can be changed of a note. */
const CHANGES = { content: optional(NOTE_CONTENT), ...NOTE_LOOKS, ownerId: optional(text()) };

const MEMBERS = shapeOf({ id: text(), ...CHANGES });
type UpdateNoteRequest = ValueOf<typeof MEMBERS>;

/** The id of the note, and at least one change. */
const REQUEST: RequestShape<UpdateNoteRequest> = {
  read(reader) {
    const request = MEMBERS.read(reader);
    const [first = '', ...others] = Object.keys(CHANGES);
    if (![first, ...others].some((member) => reader.has(member)))
      reader.wrong(first, `or one of ${others.join(', ')} is required.`);
    return request;
  },
  schema: { ...MEMBERS.schema, minProperties: 2 },
};

/** Changes the given members of a note. */
export const UPDATE_NOTE: FlowOperationRule<UpdateNoteRequest> = { request: REQUEST, apply };

async function apply(
  current: PopulatedFlow,
  { id, ...changes }: UpdateNoteRequest,
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
