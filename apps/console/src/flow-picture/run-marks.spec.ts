import { branchMarksOf as branchMarks, marksOf, totalsOf, type StepResult, type StepResults } from './run-marks';
import type { Step } from './step';
import { aStep } from './testing/a-step';

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
    expect(marks.get('each')).toEqual({ tone: 'good', word: 'Succeeded · 3 iterations · 3 ms' });
  });

  it('say of a router which branches it took', () => {
    const branches = [
      { branchName: 'Large', branchIndex: 1, evaluation: false },
      { branchName: 'Otherwise', branchIndex: 2, evaluation: true },
    ];
    const marks = marksOf({ size: result({ type: 'ROUTER', output: { branches } }) });

    expect(marks.get('size')).toEqual({ tone: 'good', word: 'Succeeded · Otherwise · 3 ms' });
  });
});

describe('the marks of branches', () => {
  const branchMarksOf = (results: StepResults, trigger: Step) => branchMarks(totalsOf(results), trigger);
  const decided = (...evaluations: boolean[]) =>
    result({ type: 'ROUTER', output: { branches: evaluations.map((evaluation) => ({ evaluation })) } });
  const router = (executionType: string) => aStep('size', { type: 'ROUTER', settings: { executionType } });
  const wordsOf = (marks: ReturnType<typeof branchMarksOf>) => [...marks].map(([key, { word }]) => [key, word]);

  it('say which branch was taken, of several that match only the first', () => {
    const marks = branchMarksOf({ size: decided(false, true, true) }, router('EXECUTE_FIRST_MATCH'));

    expect(wordsOf(marks)).toEqual([
      ['size/0', 'not taken'],
      ['size/1', 'taken'],
      ['size/2', 'not taken'],
    ]);
  });

  it('say all that match where all of them run', () => {
    const marks = branchMarksOf({ size: decided(true, true) }, router('EXECUTE_ALL_MATCH'));
    expect(wordsOf(marks)).toEqual([
      ['size/0', 'taken'],
      ['size/1', 'taken'],
    ]);
  });

  it('count how often a branch was taken in a loop', () => {
    const iterations = [{ size: decided(true, false) }, { size: decided(false, true) }, { size: decided(true, false) }];
    const each = aStep('each', { type: 'LOOP_ON_ITEMS', firstLoopAction: router('EXECUTE_FIRST_MATCH') });

    const marks = branchMarksOf({ each: result({ type: 'LOOP_ON_ITEMS', output: { iterations } }) }, each);

    expect(wordsOf(marks)).toEqual([
      ['size/0', 'taken 2 times'],
      ['size/1', 'taken'],
    ]);
  });

  it('are none of a router that was not reached', () =>
    expect(branchMarksOf({}, router('EXECUTE_FIRST_MATCH')).size).toBe(0));
});
