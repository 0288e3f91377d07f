import { isStepName, renaming } from './rename-step';
import { edited } from './edit-flow';
import { inverseOf } from './inverse';
import { findStep } from './step-tree';
import { aChain, aStep } from '../flow-picture/testing/a-step';

const flow = {
  displayName: 'Orders',
  notes: [],
  trigger: aChain(
    aStep('trigger', { type: 'PIECE_TRIGGER', settings: { input: {}, dedupe: { key: '{{ trigger.body.id }}' } } }),
    aStep('step_1', { settings: { sourceCode: { code: "'{{ trigger.x }}'" }, input: { a: '{{ trigger.body }}' } } }),
    aStep('each', {
      type: 'LOOP_ON_ITEMS',
      settings: { items: '{{ step_1.list }}' },
      firstLoopAction: aStep('tell', { settings: { input: { a: ['{{ step_1.x }} and {{ each.item }}'] } } }),
    }),
    aStep('size', {
      type: 'ROUTER',
      settings: { branches: [{ branchName: 'step_1', conditions: [[{ firstValue: '{{ step_1 }}' }]] }] },
      children: [null],
    }),
  ),
};
const after = (from: string, to: string) => edited(flow, renaming(flow, from, to, '20')).trigger;

describe('another name of a step', () => {
  it('is used by all expressions that used the old one', () => {
    const trigger = after('step_1', 'sums');

    expect(findStep(trigger, 'sums')?.displayName).toBe('step_1');
    expect(findStep(trigger, 'each')?.settings).toEqual({ items: '{{ sums.list }}' });
    expect(findStep(trigger, 'tell')?.settings).toEqual({ input: { a: ['{{ sums.x }} and {{ each.item }}'] } });
    expect(findStep(trigger, 'size')?.settings['branches']).toEqual([
      { branchName: 'step_1', conditions: [[{ firstValue: '{{ sums }}' }]] },
    ]);
  });

  it('can be that of the trigger, and changes no code', () => {
    const trigger = after('trigger', 'order');

    expect(trigger.settings).toEqual({ input: {}, dedupe: { key: '{{ order.body.id }}' } });
    expect(findStep(trigger, 'step_1')?.settings).toEqual({
      sourceCode: { code: "'{{ trigger.x }}'" },
      input: { a: '{{ order.body }}' },
    });
  });

  it('can be taken back', () => {
    const renamed = renaming(flow, 'step_1', 'sums', '20');

    expect(inverseOf(flow, [renamed]).reduce(edited, edited(flow, renamed))).toEqual(flow);
  });

  it.each([
    ['sums', true],
    ['_1', true],
    ['1st', false],
    ['two words', false],
    ['', false],
    ['__proto__', false],
    ['x'.repeat(101), false],
  ])('may be %j: %s', (name, expected) => expect(isStepName(name)).toBe(expected));
});
