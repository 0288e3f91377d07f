import { marksOf, type StepResult } from './run-marks';

const result = (more: Partial<StepResult> = {}): StepResult => ({
  type: 'CODE',
  status: 'SUCCEEDED',
  output: null,
  duration: 3,
  ...more,
});

describe('the marks of a run', () => {
  it('say how each step ended and how long it took', () => {
    const marks = marksOf({
      trigger: result({ status: undefined }),
      ask: result({ status: 'FAILED', duration: 1_240 }),
    });

    expect([...marks]).toEqual([
      ['trigger', { tone: 'good', word: 'Succeeded · 3 ms' }],
      ['ask', { tone: 'bad', word: 'Failed · 1.2 s' }],
    ]);
  });

  it('say of a step in a loop how often it ran, and the worst that happened', () => {
    const iterations = [{ tell: result() }, { tell: result({ status: 'FAILED' }) }, { tell: result() }];
    const marks = marksOf({ each: result({ type: 'LOOP_ON_ITEMS', output: { item: 3, index: 3, iterations } }) });

    expect(marks.get('tell')).toEqual({ tone: 'bad', word: 'Failed · 3 times' });
  });
});
