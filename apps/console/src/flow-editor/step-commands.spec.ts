import type { Definition } from './definition';
import { edited } from './edit-flow';
import type { Operation } from './operation';
import { besideRemoved, duplicating, movingDown, movingUp, placeAtRow, removal, skipping } from './step-commands';
import { namesOf } from './step-tree';
import { aTrigger } from './testing/a-flow';

const trigger = aTrigger();
const flow: Definition = { displayName: 'Orders', trigger, notes: [] };
const after = (operations: Operation[]): string => [...namesOf(operations.reduce(edited, flow).trigger)].join(' ');

describe('what is done with steps', () => {
  it('removes them with what is inside, each once', () => {
    expect(removal(trigger, new Set(['note', 'size', 'trigger']))).toEqual([
      { type: 'DELETE_ACTION', request: { names: ['size'] } },
    ]);
    expect(removal(trigger, new Set(['trigger']))).toEqual([]);
  });

  it('skips them all, and then none of them', () => {
    const skipped = edited(flow, { type: 'SET_SKIP_ACTION', request: { names: ['ask'], skip: true } }).trigger;
    const both = new Set(['ask', 'note']);

    expect(skipping(skipped, both)).toEqual([{ type: 'SET_SKIP_ACTION', request: { names: ['note'], skip: true } }]);
    expect(skipping(skipped, new Set(['ask']))).toEqual([
      { type: 'SET_SKIP_ACTION', request: { names: ['ask'], skip: false } },
    ]);
  });

  it('duplicates each', () => {
    expect(duplicating(trigger, new Set(['ask', 'done'])).map(({ request }) => request)).toEqual([
      { stepName: 'ask' },
      { stepName: 'done' },
    ]);
  });

  it.each<[string, 'up' | 'down', string]>([
    ['each', 'up', 'trigger each tell size ask note done'],
    ['note', 'up', 'trigger size note ask each tell done'],
    ['ask', 'up', 'trigger ask size note each tell done'],
    ['each', 'down', 'trigger size ask note done each tell'],
    ['note', 'down', 'trigger size ask note each tell done'],
    ['tell', 'down', 'trigger size ask note each tell done'],
  ])('moves %s %s', (name, direction, expected) => {
    expect(after((direction === 'up' ? movingUp : movingDown)(trigger, name))).toBe(expected);
  });

  it('moves nothing before the trigger or behind the end', () => {
    expect([movingUp(trigger, 'size'), movingDown(trigger, 'done')]).toEqual([[], []]);
  });

  it('knows the place at a row of the outline', () => {
    expect(placeAtRow(trigger, 'size/1')).toEqual({
      place: { parentStep: 'size', stepLocationRelativeToParent: 'INSIDE_BRANCH', branchIndex: 1 },
      after: 'Otherwise',
    });
    expect(placeAtRow(trigger, 'ask')?.place).toEqual({ parentStep: 'ask', stepLocationRelativeToParent: 'AFTER' });
    expect(placeAtRow(trigger, 'nobody')).toBeNull();
  });

  it('knows where the attention goes when steps are gone', () => {
    expect(besideRemoved(trigger, new Set(['size']))).toBe('each');
    expect(besideRemoved(trigger, new Set(['note']))).toBe('ask');
    expect(besideRemoved(trigger, new Set(['ask', 'note']))).toBe('size');
  });
});
