import { openDraft, reduce, type Draft } from './draft';
import { keepDraft, keptDraft } from './kept-draft';
import { aSavedFlow } from './testing/a-flow';
import { aStorage } from './testing/a-storage';

/** A draft after so many edits, which were all saved. */
function edited(count: number, length = 10): Draft {
  let draft = openDraft(aSavedFlow());
  for (let number = 1; number <= count; number++) {
    const displayName = `${number} ${'x'.repeat(length)}`;
    draft = reduce(draft, { kind: 'edit', operations: [{ type: 'CHANGE_NAME', request: { displayName } }] });
    draft = reduce(draft, { kind: 'send' });
    draft = reduce(draft, { kind: 'answered', saved: aSavedFlow(undefined, `"${number + 1}"`, displayName) });
  }
  return draft;
}

describe('what is kept of a draft', () => {
  it('is all that waits and all that can be undone and redone', () => {
    const storage = aStorage();
    const draft = [{ kind: 'undo' } as const, { kind: 'undo' } as const].reduce(reduce, edited(150));

    keepDraft('draft', draft, { storage });
    const { queue, undo, redo, etag } = keptDraft('draft', storage) ?? {};

    expect({ queue, undo, redo }).toEqual({ queue: draft.queue, undo: draft.undo, redo: draft.redo });
    expect(etag).toBe(draft.saved.etag);
  });

  it('is nothing when there is nothing to undo', () => {
    const storage = aStorage();
    keepDraft('draft', edited(1), { storage });
    keepDraft('draft', openDraft(aSavedFlow()), { storage });

    expect(storage.length).toBe(0);
  });

  it.each([
    ['is on its way', []],
    ['was lost', [{ kind: 'failed', failure: { kind: 'away', message: 'No answer.' } } as const]],
  ])('knows the flow with the first change when the page is left while the answer to it %s', (_, events) => {
    const storage = aStorage();
    const operations = [{ type: 'CHANGE_NAME', request: { displayName: 'A' } } as const];
    const draft = [{ kind: 'edit', operations } as const, { kind: 'send' } as const, ...events].reduce(
      reduce,
      edited(1),
    );

    keepDraft('draft', draft, { storage, isLeft: true });
    const opened = openDraft(aSavedFlow(undefined, '"3"', 'A'), keptDraft('draft', storage));

    expect(opened).toMatchObject({ queue: [], trouble: null, shown: { displayName: 'A' } });
  });

  it('leaves the oldest edits out where there is no room for all, and never what waits', () => {
    const storage = aStorage(200_000);
    const displayName = 'waits';
    const operations = [{ type: 'CHANGE_NAME', request: { displayName } } as const];
    const draft = reduce(edited(300, 1_000), { kind: 'edit', operations });

    keepDraft('draft', draft, { storage });
    const { undo = [], queue = [] } = keptDraft('draft', storage) ?? {};

    expect(queue).toHaveLength(1);
    expect(undo.length).toBeGreaterThan(30);
    expect(undo.length).toBeLessThan(300);
    expect(undo.at(-1)).toEqual(draft.undo.at(-1));
  });

  it('makes room by forgetting what can be undone in other flows', () => {
    const storage = aStorage(300_000);
    keepDraft('millrace.draft.ada.other', edited(100, 1_000), { storage });

    keepDraft('millrace.draft.ada.this', edited(100, 1_000), { storage });

    expect(keptDraft('millrace.draft.ada.other', storage)).toBeNull();
    expect(keptDraft('millrace.draft.ada.this', storage)?.undo).toHaveLength(100);
  });
});
