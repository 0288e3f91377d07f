import { aCodeStep, aTrigger } from './testing/a-draft';
import { stepsOf, type FlowAction } from './flow-version';
import { mapSteps } from './map-steps';

describe('mapSteps', () => {
  it('changes every step and leaves the original alone', () => {
    const router: FlowAction = {
      ...{ name: 'router', displayName: '', valid: true, type: 'ROUTER' },
      settings: { executionType: 'EXECUTE_FIRST_MATCH', branches: [] },
      children: [null, aCodeStep({ name: 'child' })],
      nextAction: {
        name: 'loop',
        displayName: '',
        valid: true,
        type: 'LOOP_ON_ITEMS',
        settings: { items: [] },
        firstLoopAction: aCodeStep(),
      },
    };
    const original = aTrigger({ nextAction: router });

    const copy = mapSteps(original, (step) => ({ ...step, valid: false }));

    expect([...stepsOf(copy)].map(({ name, valid }) => [name, valid])).toEqual([
      ['trigger', false],
      ['router', false],
      ['child', false],
      ['loop', false],
      ['step_1', false],
    ]);
    expect([...stepsOf(original)].every(({ valid }) => valid)).toBe(true);
  });
});
