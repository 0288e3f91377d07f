import { placeOfStep } from './step-place';
import type { StepResults } from './step-results';

const step = { type: 'CODE' as const, output: null, duration: 1 };
const steps: StepResults = {
  trigger: step,
  each: {
    type: 'LOOP_ON_ITEMS',
    output: { iterations: [{ tell: step }, { tell: step, mend: step }, { tell: step }] },
    duration: 3,
  },
};

describe('placeOfStep', () => {
  it('is in the iteration that is shown', () => {
    expect(placeOfStep(steps, 'tell', [])).toBe('each[0].tell');
    expect(placeOfStep(steps, 'tell', ['each[2]'])).toBe('each[2].tell');
  });

  it('is where the step ran first when it did not run in that iteration', () =>
    expect(placeOfStep(steps, 'mend', ['each[2]'])).toBe('each[1].mend'));

  it('is null for a step to which the run did not come', () => expect(placeOfStep(steps, 'last', [])).toBeNull());
});
