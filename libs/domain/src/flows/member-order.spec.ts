import { codeStep, loop, webhookTrigger } from '../testing/a-flow-version';
import { mapSteps } from './map-steps';
import { notesInOrder, stepsInOrder } from './member-order';
import { aRandomTrigger } from './testing/a-random-trigger';

const text = (value: unknown): string => JSON.stringify(value);
const reversed = <T>(value: T): T => Object.fromEntries(Object.entries(value as object).reverse()) as T;

describe('the order of members', () => {
  it('is the same for steps that were made in different ways', () => {
    const trigger = webhookTrigger([loop('each', '{{ trigger.body }}', [codeStep('tell')]), codeStep('done')]);
    const other = mapSteps(trigger, reversed);

    expect(text(other)).not.toBe(text(trigger));
    expect(text(stepsInOrder(other))).toBe(text(stepsInOrder(trigger)));
  });

  it('is the same for notes, which keep what else an editor stores with them', () => {
    const note = { id: 'a', content: 'b', color: 'red', zIndex: 3 };

    expect(text(notesInOrder([reversed(note)]))).toBe(text([note]));
  });

  it('changes no value', () => {
    const trigger = aRandomTrigger(7);

    expect(stepsInOrder(trigger)).toEqual(trigger);
  });
});
