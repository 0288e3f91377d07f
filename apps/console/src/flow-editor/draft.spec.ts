import {
  canUndo,
  expectedOf,
  isEditable,
  isReady,
  openDraft,
  reduce,
  withTyped,
  type Draft,
  type DraftEvent,
} from './draft';
import type { KeptDraft } from './kept-draft';
import type { Operation } from './operation';
import { findStep, namesOf } from './step-tree';
import { aChain, aStep } from '../flow-picture/testing/a-step';
import { aSavedFlow, aTrigger } from './testing/a-flow';

const named = (displayName: string): Operation => ({ type: 'CHANGE_NAME', request: { displayName } });
const edit = (...operations: Operation[]): DraftEvent => ({ kind: 'edit', operations });
const operationsOf = ({ queue }: Draft): Operation[] => queue.map(({ operation }) => operation);
const theirs = aSavedFlow(aTrigger(), '"7"', 'Theirs');
const play = (...events: DraftEvent[]): Draft => events.reduce(reduce, openDraft(aSavedFlow()));
const answer = (displayName: string, etag: string): DraftEvent => ({
  kind: 'answered',
  saved: aSavedFlow(aTrigger(), etag, displayName),
});

describe('the draft of the editor', () => {
  it('shows an edit before the service has answered', () => {
    expect(play(edit(named('Refunds'))).shown.displayName).toBe('Refunds');
  });

  it('sends one operation at a time, each with the tag of the last answer', () => {
    const first = play(edit(named('A')), { kind: 'send' }, edit(named('B')));
    const second = reduce(first, answer('A', '"2"'));

    expect(isReady(first)).toBe(false);
    expect(isReady(second)).toBe(true);
    expect(second.saved.etag).toBe('"2"');
    expect(operationsOf(second)).toEqual([named('B')]);
    expect(second.shown.displayName).toBe('B');
  });

  it('puts updates of one step that were not sent yet into one, which one undo takes back', () => {
    const update = (displayName: string) => edit({ type: 'UPDATE_ACTION', request: aStep('ask', { displayName }) });
    const draft = play(update('As'), update('Ask A'), update('Ask Ada'));

    expect(draft.queue).toHaveLength(1);
    expect(findStep(draft.shown.trigger, 'ask')?.displayName).toBe('Ask Ada');
    expect(findStep(reduce(draft, { kind: 'undo' }).shown.trigger, 'ask')?.displayName).toBe('ask');
  });

  it('does not change an operation that is on its way', () => {
    const update = (displayName: string) => edit({ type: 'UPDATE_ACTION', request: aStep('ask', { displayName }) });

    expect(play(update('A'), { kind: 'send' }, update('B')).queue).toHaveLength(2);
  });

  it('undoes and redoes 100 edits by operations', () => {
    const names = Array.from({ length: 100 }, (_, index) => `Name ${index}`);
    const made = play(...names.map((name) => edit(named(name))));

    const undone = names.reduce((draft) => reduce(draft, { kind: 'undo' }), made);
    const redone = names.reduce((draft) => reduce(draft, { kind: 'redo' }), undone);

    expect(undone.shown.displayName).toBe('Orders');
    expect(redone.shown.displayName).toBe('Name 99');
    expect(redone.queue).toHaveLength(300);
  });

  it('shows a copy at once, and can take it back', () => {
    const copied = play(edit({ type: 'DUPLICATE_ACTION', request: { stepName: 'done' } }));

    expect(findStep(copied.shown.trigger, 'done_copy')?.displayName).toBe('done Copy');
    expect(operationsOf(copied)).toMatchObject([{ type: 'ADD_ACTION', request: { parentStep: 'done' } }]);
    expect(namesOf(reduce(copied, { kind: 'undo' }).shown.trigger).has('done_copy')).toBe(false);
  });

  it('gives the copies of one edit different names', () => {
    const copies = ['step_1', 'step_2'].map((stepName): Operation => ({
      type: 'DUPLICATE_ACTION',
      request: { stepName },
    }));
    const trigger = aChain(aStep('trigger'), aStep('step_1'), aStep('step_2'));
    const draft = reduce(openDraft(aSavedFlow(trigger)), edit(...copies));

    expect([...namesOf(draft.shown.trigger)]).toEqual(['trigger', 'step_1', 'step_3', 'step_2', 'step_4']);
  });

  it('undoes an edit of several operations at once', () => {
    const draft = play(edit(named('A')), edit(named('B'), { type: 'DELETE_ACTION', request: { names: ['done'] } }));
    const undone = reduce(draft, { kind: 'undo' });

    expect(namesOf(draft.shown.trigger).has('done')).toBe(false);
    expect(undone.shown.displayName).toBe('A');
    expect(namesOf(undone.shown.trigger).has('done')).toBe(true);
  });

  it('takes an operation that is refused for itself out, and keeps what was typed', () => {
    const operation = named('');
    const refused = play(edit(operation), { kind: 'send' }, edit(named('B')), {
      kind: 'failed',
      failure: { kind: 'refused', error: new Error('no') },
    });

    expect(refused.shown.displayName).toBe('B');
    expect(refused.undo).toHaveLength(1);
    expect(refused.trouble).toMatchObject({ refusals: [{ operation }] });
    expect(isReady(refused)).toBe(true);
  });

  it('still shows in the form what was typed and refused', () => {
    const typed = aStep('ask', { displayName: 'x'.repeat(2_000) });
    const operation: Operation = { type: 'UPDATE_ACTION', request: typed };
    const refused = play(
      edit(operation),
      { kind: 'send' },
      {
        kind: 'failed',
        failure: { kind: 'refused', error: new Error('too long') },
      },
    );
    const ask = findStep(refused.shown.trigger, 'ask') ?? aStep('none');

    expect(ask.displayName).toBe('ask');
    expect(withTyped(ask, refused)).toMatchObject({ displayName: typed.displayName, nextAction: { name: 'note' } });
  });

  it('gives up the rest of an edit of which a part is refused, and says all that was refused', () => {
    const first = edit(named('A'), { type: 'DELETE_ACTION', request: { names: ['done'] } });
    const refusal: DraftEvent = { kind: 'failed', failure: { kind: 'refused', error: new Error('no') } };
    const draft = play(first, edit(named('B')), { kind: 'send' }, refusal);
    const both = [{ kind: 'send' } as const, refusal].reduce(reduce, draft);

    expect(operationsOf(draft)).toEqual([named('B')]);
    expect(namesOf(draft.shown.trigger).has('done')).toBe(true);
    expect(both.trouble).toMatchObject({ refusals: [{ operation: named('A') }, { operation: named('B') }] });
    expect(both.undo).toEqual([]);
  });

  it('keeps what waits when somebody else changed the flow, and lets a person decide', () => {
    const stopped = play(
      edit(named('Mine')),
      { kind: 'send' },
      { kind: 'failed', failure: { kind: 'changed', theirs, base: null } },
    );
    const onTop = reduce(stopped, { kind: 'put-on-top', saved: theirs });

    expect([isEditable(stopped), isReady(stopped)]).toEqual([false, false]);
    expect(operationsOf(stopped)).toEqual([named('Mine')]);
    expect([operationsOf(onTop), onTop.trouble, onTop.shown.displayName]).toEqual([[named('Mine')], null, 'Mine']);
    expect(reduce(stopped, { kind: 'give-up', saved: theirs }).shown.displayName).toBe('Theirs');
  });

  it('undoes what was put on top of the changes of others to those, and no further', () => {
    const changed: DraftEvent = { kind: 'failed', failure: { kind: 'changed', theirs, base: null } };
    const onTop = play(
      edit(named('Saved')),
      { kind: 'send' },
      answer('Saved', '"2"'),
      edit(named('Mine')),
      { kind: 'send' },
      changed,
      { kind: 'put-on-top', saved: theirs },
    );
    const undone = reduce(onTop, { kind: 'undo' });

    expect(undone.shown.displayName).toBe('Theirs');
    expect(canUndo(undone)).toBe(false);
  });

  it('begins a new history when the flow was changed elsewhere, and says so', () => {
    const followed = play(edit(named('A')), { kind: 'send' }, answer('A', '"2"'), { kind: 'followed', saved: theirs });

    expect(followed.shown.displayName).toBe('Theirs');
    expect([canUndo(followed), followed.isHistoryLost]).toEqual([false, true]);
  });
});

describe('a draft that was left', () => {
  const left = play(edit(named('A')), { kind: 'send' }, answer('A', '"2"'), edit(named('B')));
  const kept: KeptDraft = { ...left, etag: '"2"', expected: null, base: null };
  const now = (displayName: string, etag: string) => aSavedFlow(aTrigger(), etag, displayName);

  it('goes on where it was, with all that can be undone', () => {
    const draft = openDraft(now('A', '"2"'), kept);

    expect([isReady(draft), draft.shown.displayName, draft.undo.length]).toEqual([true, 'B', 2]);
  });

  it('takes an operation for done that made the flow what it is now', () => {
    const expected = expectedOf(reduce(left, { kind: 'send' }));
    const draft = openDraft(now('B', '"3"'), { ...kept, expected });

    expect([draft.queue, draft.trouble, draft.undo.length]).toEqual([[], null, 2]);
  });

  it('waits for a decision when the flow was changed meanwhile', () => {
    const draft = openDraft(now('Theirs', '"9"'), kept);

    expect([isReady(draft), draft.trouble?.kind, draft.queue.length]).toEqual([false, 'changed', 1]);
  });

  it('begins a new history when all was saved and the flow was changed meanwhile', () => {
    const draft = openDraft(now('Theirs', '"9"'), { ...kept, queue: [] });

    expect([canUndo(draft), draft.isHistoryLost, draft.trouble]).toEqual([false, true, null]);
  });
});
