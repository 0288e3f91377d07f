import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import { MAX_NOTES_PER_VERSION, type FlowNote } from '../flow-note';
import { aDraft, aFlowWithDraft } from '../testing/a-draft';
import { applyOperation, OPERATION_TIME } from '../testing/an-operation-context';
import { parseFlowOperation, type OperationContext } from './flow-operation';

const time = OPERATION_TIME.toISOString();
const kept: FlowNote = { id: 'kept', content: 'Left alone.' };
const note: FlowNote = { id: 'note', content: 'Old', color: 'red', updatedAt: 'earlier', zIndex: 3 };

const notesAfter = async (
  type: string,
  request: object,
  notes: FlowNote[] = [kept, note],
  context: Partial<OperationContext> = {},
): Promise<FlowNote[]> => {
  const current = aFlowWithDraft({ version: aDraft({ notes }) });
  return (await applyOperation(current, type, request, context)).version.notes;
};

describe('ADD_NOTE', () => {
  const made = { ownerId: 'user_2', createdAt: time, updatedAt: time };

  it.each([
    ['makes an id', { content: 'Hi' }, { id: 'id_1', content: 'Hi' }],
    ['takes the id given', { id: 'mine', content: '' }, { id: 'mine', content: '' }],
    [
      'keeps how the note looks',
      { content: 'Hi', color: 'blue', position: { x: -1.5, y: 0 }, size: { width: 10, height: 20 } },
      { id: 'id_1', content: 'Hi', color: 'blue', position: { x: -1.5, y: 0 }, size: { width: 10, height: 20 } },
    ],
  ])('%s', async (_what, request, added) => {
    expect(await notesAfter('ADD_NOTE', request)).toEqual([kept, note, { ...added, ...made }]);
  });

  it.each([
    [0, ['new', 'kept', 'note']],
    [1, ['kept', 'new', 'note']],
    [9, ['kept', 'note', 'new']],
  ])('puts a note at the index %i', async (index, order) => {
    const notes = await notesAfter('ADD_NOTE', { id: 'new', content: '', index });
    expect(notes.map(({ id }) => id)).toEqual(order);
    expect(notes[order.indexOf('new')]).not.toHaveProperty('index');
  });

  it('refuses an index that is no place', () => {
    for (const index of [-1, 1.5, '0'])
      expect(() => parseFlowOperation({ type: 'ADD_NOTE', request: { content: '', index } })).toThrow();
  });

  it('refuses an id that is taken, and one note too many', async () => {
    const many = Array.from({ length: MAX_NOTES_PER_VERSION }, (_, index) => ({ id: `n${index}`, content: '' }));
    await expect(notesAfter('ADD_NOTE', { id: 'note', content: '' })).rejects.toThrow(/"note"/);
    await expect(notesAfter('ADD_NOTE', { content: '' }, many)).rejects.toThrow(FlowOperationInvalidError);
    await expect(notesAfter('ADD_NOTE', { content: '' }, many.slice(1))).resolves.toHaveLength(MAX_NOTES_PER_VERSION);
  });
});

describe('UPDATE_NOTE', () => {
  const hasMember = (userId: string) => Promise.resolve(userId === 'user_3');

  it.each([
    [{ content: '' }],
    [{ color: 'blue' }],
    [{ position: { x: 1, y: 2 } }],
    [{ size: { width: 1, height: 2 } }],
    [{ ownerId: 'user_3' }],
  ])('changes %j and leaves the rest', async (changes) => {
    const notes = await notesAfter('UPDATE_NOTE', { id: 'note', ...changes }, [kept, note], { hasMember });
    expect(notes).toEqual([kept, { ...note, ...changes, updatedAt: time }]);
  });

  it('refuses an unknown note, and an owner without a role in the project', async () => {
    await expect(notesAfter('UPDATE_NOTE', { id: 'x', content: '' })).rejects.toThrow(FlowOperationInvalidError);
    const toAnybody = notesAfter('UPDATE_NOTE', { id: 'note', ownerId: 'user_4' }, [note], { hasMember });
    await expect(toAnybody).rejects.toThrow(FlowOperationInvalidError);
  });
});

describe('DELETE_NOTE', () => {
  it('removes the note', async () => expect(await notesAfter('DELETE_NOTE', { id: 'note' })).toEqual([kept]));

  it('refuses an unknown note', async () =>
    expect(notesAfter('DELETE_NOTE', { id: 'x' })).rejects.toThrow(FlowOperationInvalidError));
});

describe('an operation on a note', () => {
  it.each<[string, object, string]>([
    ['ADD_NOTE', {}, 'content'],
    ['ADD_NOTE', { content: null }, 'content'],
    ['ADD_NOTE', { content: 'x'.repeat(10_001) }, 'content'],
    ['ADD_NOTE', { content: '', id: '' }, 'id'],
    ['ADD_NOTE', { content: '', color: 'x'.repeat(51) }, 'color'],
    ['ADD_NOTE', { content: '', position: { x: 1 } }, 'position/y'],
    ['ADD_NOTE', { content: '', position: { x: Infinity, y: 1 } }, 'position/x'],
    ['ADD_NOTE', { content: '', position: { x: 1, y: 1, z: 1 } }, 'position/z'],
    ['ADD_NOTE', { content: '', size: [1, 2] }, 'size'],
    ['ADD_NOTE', { content: '', ownerId: 'user_1' }, 'ownerId'],
    ['UPDATE_NOTE', { content: '' }, 'id'],
    ['UPDATE_NOTE', { id: 'note' }, 'content'],
    ['UPDATE_NOTE', { id: 'note', createdAt: time }, 'createdAt'],
    ['DELETE_NOTE', {}, 'id'],
    ['DELETE_NOTE', { id: 1 }, 'id'],
  ])('%s refuses %j at %s', (type, request, path) => {
    expect(() => parseFlowOperation({ type, request })).toThrow(
      expect.objectContaining({
        params: { errors: expect.arrayContaining([expect.objectContaining({ path: `/request/${path}` })]) as unknown },
      }),
    );
  });
});
