import {
  canUndo,
  isEditable,
  isReady,
  openDraft,
  reduce,
  shown,
  withTyped,
  type Draft,
  type DraftEvent,
} from './draft';
import type { Operation } from './operation';
import { findStep, namesOf } from './step-tree';
import { aStep } from '../flow-picture/testing/a-step';
import { aSavedFlow, aTrigger } from './testing/a-flow';

const named = (displayName: string): Operation => ({ type: 'CHANGE_NAME', request: { displayName } });
const edit = (operation: Operation): DraftEvent => ({ kind: 'edit', operation });
const play = (...events: DraftEvent[]): Draft => events.reduce(reduce, openDraft(aSavedFlow()));
const answer = (displayName: string, etag: string): DraftEvent => ({
  kind: 'answered',
  saved: aSavedFlow(aTrigger(), etag, displayName),
});

describe('the draft of the editor', () => {
  it('shows an edit before the service has answered', () => {
    expect(shown(play(edit(named('Refunds')))).displayName).toBe('Refunds');
  });

  it('sends one operation at a time, each with the tag of the last answer', () => {
    const first = play(edit(named('A')), { kind: 'send' }, edit(named('B')));
    const second = reduce(first, answer('A', '"2"'));

    expect(isReady(first)).toBe(false);
    expect(isReady(second)).toBe(true);
    expect(second.saved.etag).toBe('"2"');
    expect(second.queue).toEqual([named('B')]);
    expect(shown(second).displayName).toBe('B');
  });

  it('puts updates of one step that were not sent yet into one, which one undo takes back', () => {
    const update = (displayName: string) => edit({ type: 'UPDATE_ACTION', request: aStep('ask', { displayName }) });
    const draft = play(update('As'), update('Ask A'), update('Ask Ada'));

    expect(draft.queue).toHaveLength(1);
    expect(findStep(shown(draft).trigger, 'ask')?.displayName).toBe('Ask Ada');
    expect(findStep(shown(reduce(draft, { kind: 'undo' })).trigger, 'ask')?.displayName).toBe('ask');
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

    expect(shown(undone).displayName).toBe('Orders');
    expect(shown(redone).displayName).toBe('Name 99');
    expect(redone.queue).toHaveLength(300);
  });

  it('can undo a copy as soon as the service has named it', () => {
    const copied = play(edit({ type: 'DUPLICATE_ACTION', request: { stepName: 'done' } }), { kind: 'send' });
    const trigger = aTrigger();
    const done = findStep(trigger, 'done');
    Object.assign(done ?? {}, { nextAction: aStep('done_copy') });
    const named = reduce(copied, { kind: 'answered', saved: aSavedFlow(trigger, '"2"') });

    expect(canUndo(copied)).toBe(false);
    expect(namesOf(shown(named).trigger).has('done_copy')).toBe(true);
    expect(namesOf(shown(reduce(named, { kind: 'undo' })).trigger).has('done_copy')).toBe(false);
  });

  it('takes an operation that is refused for itself out, and keeps what was typed', () => {
    const operation = named('');
    const refused = play(edit(operation), { kind: 'send' }, edit(named('B')), {
      kind: 'failed',
      trouble: { kind: 'refused', error: new Error('no'), operation },
    });

    expect(shown(refused).displayName).toBe('B');
    expect(refused.undo).toHaveLength(1);
    expect(refused.trouble).toMatchObject({ operation });
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
        trouble: { kind: 'refused', error: new Error('too long'), operation },
      },
    );
    const ask = findStep(shown(refused).trigger, 'ask') ?? aStep('none');

    expect(ask.displayName).toBe('ask');
    expect(withTyped(ask, refused)).toMatchObject({ displayName: typed.displayName, nextAction: { name: 'note' } });
  });

  it('keeps what waits when somebody else changed the flow, and lets a person decide', () => {
    const stopped = play(
      edit(named('Mine')),
      { kind: 'send' },
      {
        kind: 'failed',
        trouble: { kind: 'changed', message: 'It was changed.' },
      },
    );
    const theirs = aSavedFlow(aTrigger(), '"7"', 'Theirs');

    expect([isEditable(stopped), isReady(stopped)]).toEqual([false, false]);
    expect(stopped.queue).toEqual([named('Mine')]);
    expect(reduce(stopped, { kind: 'resume', saved: theirs })).toMatchObject({ queue: [named('Mine')], trouble: null });
    expect(shown(reduce(stopped, { kind: 'give-up', saved: theirs })).displayName).toBe('Theirs');
  });

  it('waits with what an earlier visit left', () => {
    const left = openDraft(aSavedFlow(), [named('Typed before')]);

    expect(isReady(left)).toBe(false);
    expect(isReady(reduce(left, { kind: 'resume' }))).toBe(true);
  });
});
