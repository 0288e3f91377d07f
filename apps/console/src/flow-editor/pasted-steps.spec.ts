import { copiedText, fitting, pastedSteps } from './pasted-steps';
import { aChain, aStep } from '../flow-picture/testing/a-step';
import { namesOf } from './step-tree';
import { aTrigger } from './testing/a-flow';

const names = (text: string): string => {
  const pasted = pastedSteps(text);
  return 'first' in pasted ? [...namesOf(pasted.first)].join(' ') : pasted.problem;
};

describe('steps in the clipboard', () => {
  it('are the flow JSON of the chosen steps, chained, with what is inside them', () => {
    expect(names(copiedText(aTrigger(), new Set(['done', 'size', 'note'])) ?? '')).toBe('size ask note done');
  });

  it('are nothing without a step', () => {
    expect(copiedText(aTrigger(), new Set(['trigger']))).toBeNull();
  });

  const chain = aChain(aStep('a'), aStep('b'));
  it.each<[string, unknown, string]>([
    ['a step with what comes after it', chain, 'a b'],
    ['a list of steps', [aStep('a'), aStep('b')], 'a b'],
    ['a flow', { displayName: 'x', trigger: aStep('trigger', { nextAction: chain }) }, 'a b'],
    ['an answer of the API', { id: 'x', version: { trigger: aStep('trigger', { nextAction: chain }) } }, 'a b'],
    ['a template', { name: 'x', template: { trigger: aStep('trigger', { nextAction: chain }) } }, 'a b'],
    ['an export', { name: 'x', flows: [{ trigger: aStep('trigger', { nextAction: chain }) }] }, 'a b'],
    ['a flow without steps', { displayName: 'x', trigger: aStep('trigger') }, 'no-steps'],
    ['a trigger', aStep('trigger', { type: 'PIECE_TRIGGER' }), 'no-steps'],
    ['a number', 7, 'no-steps'],
    ['a router without branches', aStep('a', { type: 'ROUTER' }), 'no-steps'],
    ['a step of which one has no name', [aStep('a'), { type: 'CODE', settings: {} }], 'no-steps'],
    ['a step with a broken one inside', aStep('a', { nextAction: { type: 'NONE' } as never }), 'no-steps'],
  ])('can be %s', (_what, value, expected) => {
    expect(names(JSON.stringify(value))).toBe(expected);
  });

  it('can be something else', () => {
    expect(names('Dear Ada,')).toBe('not-json');
  });

  it('get other names where one is taken, and expressions follow', () => {
    const first = aStep('ask', {
      settings: { input: {} },
      nextAction: aStep('b', { settings: { input: { x: '{{ ask.y }}' } } }),
    });
    const pasted = fitting(first, aTrigger());

    expect([...namesOf(pasted)]).toEqual(['ask_copy', 'b_copy']);
    expect(pasted.nextAction?.settings['input']).toEqual({ x: '{{ ask_copy.y }}' });
  });

  it('keep their names where all are free', () => {
    expect(fitting(chain, aTrigger())).toBe(chain);
  });
});
