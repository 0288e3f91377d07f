import { canRedo, canUndo } from './draft';
import { DraftStore } from './draft-store';
import { keepDraft, keptDraft } from './kept-draft';
import { aLargeFlow } from './testing/a-large-flow';
import { aStorage } from './testing/a-storage';
import { InMemoryService } from './testing/in-memory-service';
import { diceOf, randomEdit } from './testing/random-edit';

const EDITS = 200;
const STEPS = 60;
/** On a busy machine. */
const PATIENCE_MS = 60_000;

/** An editor of a large flow that a service keeps, and that can be opened anew. */
async function anEditor(seed: number) {
  const service = await InMemoryService.with(aLargeFlow(STEPS, seed));
  const storage = aStorage();
  const open = async (): Promise<DraftStore> => {
    const opened = new DraftStore(await service.read(), keptDraft('flow', storage), {
      send: service.send,
      read: service.read,
      keep: (draft) => keepDraft('flow', draft, { storage }),
      announce: () => undefined,
      isMine: () => true,
      isTyping: () => false,
    });
    opened.start();
    return opened;
  };
  let store = await open();
  const saved = async () => {
    while (store.current().queue.length > 0 && store.current().trouble === null)
      await new Promise<void>((done) => setImmediate(done));
    expect(store.current().trouble).toBeNull();
    return service.text();
  };
  return {
    saved,
    edit: (count: number) => {
      const dice = diceOf(seed);
      for (let made = 0; made < count; made++)
        store.dispatch({ kind: 'edit', operations: randomEdit(store.current().shown, dice) });
    },
    undo: (count = EDITS) => {
      for (let made = 0; made < count && canUndo(store.current()); made++) store.dispatch({ kind: 'undo' });
    },
    redo: (count = EDITS) => {
      for (let made = 0; made < count && canRedo(store.current()); made++) store.dispatch({ kind: 'redo' });
    },
    reload: async () => {
      await saved();
      store = await open();
    },
  };
}

describe('the undo of random edits', () => {
  it.each([1, 4])(
    'leads to the text that the service had at first, and redo to the last (seed %i)',
    async (seed) => {
      const editor = await anEditor(seed);
      const first = await editor.saved();

      editor.edit(EDITS);
      const last = await editor.saved();
      editor.undo();
      const undone = await editor.saved();
      editor.redo();
      const redone = await editor.saved();

      expect(last === first).toBe(false);
      expect([undone === first, redone === last]).toEqual([true, true]);
    },
    PATIENCE_MS,
  );

  it(
    'does so with a reload of the page in the middle of each',
    async () => {
      const editor = await anEditor(5);
      const first = await editor.saved();

      editor.edit(EDITS);
      const last = await editor.saved();
      editor.undo(EDITS / 2);
      await editor.reload();
      editor.undo();
      const undone = await editor.saved();
      editor.redo(EDITS / 2);
      await editor.reload();
      editor.redo();
      const redone = await editor.saved();

      expect([undone === first, redone === last]).toEqual([true, true]);
    },
    PATIENCE_MS,
  );
});
