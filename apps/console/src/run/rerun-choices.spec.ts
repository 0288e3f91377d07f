import { aChain, aStep } from '../flow-picture/testing/a-step';
import { iterationsBegun, stepsOfVersion, typedInput } from './rerun-choices';
import type { StepResults } from './step-results';

const tell = aStep('tell');
const inner = aStep('inner', { type: 'LOOP_ON_ITEMS', firstLoopAction: tell });
const size = aStep('size', { type: 'ROUTER', settings: { branches: [{}, {}] }, children: [inner, null] });
const each = aStep('each', { type: 'LOOP_ON_ITEMS', firstLoopAction: size });

describe('stepsOfVersion', () => {
  it('knows the loops around each step', () =>
    expect(stepsOfVersion(aChain(aStep('trigger'), each, aStep('last')))).toEqual([
      { name: 'trigger', displayName: 'trigger', loops: [] },
      { name: 'each', displayName: 'each', loops: [] },
      { name: 'size', displayName: 'size', loops: ['each'] },
      { name: 'inner', displayName: 'inner', loops: ['each'] },
      { name: 'tell', displayName: 'tell', loops: ['each', 'inner'] },
      { name: 'last', displayName: 'last', loops: [] },
    ]));
});

describe('iterationsBegun', () => {
  const loop = (iterations: object[]) => ({ type: 'LOOP_ON_ITEMS' as const, output: { iterations }, duration: 1 });
  const steps: StepResults = { each: loop([{}, { inner: loop([{}, {}, {}]) }]) };

  it('counts what ran of an inner loop in the chosen iteration around it', () => {
    expect(iterationsBegun(steps, ['each', 'inner'], [1, 0])).toEqual([2, 3]);
    expect(iterationsBegun(steps, ['each', 'inner'], [0, 0])).toEqual([2, 0]);
  });

  it('counts nothing of a loop that never began', () => expect(iterationsBegun({}, ['each'], [0])).toEqual([0]));
});

describe('typedInput', () => {
  it('is that of the old run when nothing was typed', () => expect(typedInput(null)).toEqual({ kind: 'same' }));

  it('is any JSON', () => expect(typedInput('{"a":[1]}')).toEqual({ kind: 'new', value: { a: [1] } }));

  it('says why a text is no JSON', () => expect(typedInput('{"a"')).toMatchObject({ kind: 'broken' }));
});
