import { branch, codeStep, fallback, loop, router } from '../../testing/a-flow-version';
import { aFlowWithSteps, manySteps, outlineOf } from '../testing/a-flow-with-steps';
import { applyOperation } from '../testing/an-operation-context';
import { malformedPathsOf, misfitOf } from '../testing/refused-operations';

const flow = aFlowWithSteps([
  codeStep('first'),
  loop('each', '{{ [1] }}', [codeStep('inner')]),
  router('choice', [branch('Yes', [[]], [codeStep('left')]), fallback()]),
]);
const inLoop = { stepLocationRelativeToNewParent: 'INSIDE_LOOP' };
const inBranch = (branchIndex: number): object => ({ stepLocationRelativeToNewParent: 'INSIDE_BRANCH', branchIndex });

describe('MOVE_ACTION', () => {
  it.each<[string, object, string]>([
    ['behind another', { name: 'first', newParentStep: 'each' }, 'trigger each[inner] first choice{left|}'],
    [
      'with its body to the head',
      { name: 'each', newParentStep: 'trigger', stepLocationRelativeToNewParent: 'AFTER' },
      'trigger each[inner] first choice{left|}',
    ],
    ['to the end', { name: 'first', newParentStep: 'choice' }, 'trigger each[inner] choice{left|} first'],
    ['into a loop', { name: 'first', newParentStep: 'each', ...inLoop }, 'trigger each[first inner] choice{left|}'],
    [
      'with its body into a branch',
      { name: 'each', newParentStep: 'choice', ...inBranch(0) },
      'trigger first choice{each[inner] left|}',
    ],
    [
      'into an empty branch',
      { name: 'inner', newParentStep: 'choice', ...inBranch(1) },
      'trigger first each[] choice{left|inner}',
    ],
    ['out of a body', { name: 'left', newParentStep: 'first' }, 'trigger first left each[inner] choice{|}'],
    ['to where it is', { name: 'each', newParentStep: 'first' }, 'trigger first each[inner] choice{left|}'],
    [
      'to the head of the body it is in',
      { name: 'inner', newParentStep: 'each', ...inLoop },
      'trigger first each[inner] choice{left|}',
    ],
  ])('moves a step %s', async (_where, request, outline) => {
    const { version, sampleData } = await applyOperation(flow, 'MOVE_ACTION', request);
    expect(outlineOf(version.trigger)).toBe(outline);
    expect(sampleData).toBeUndefined();
  });

  it('moves the first step of the longest flow to its end', async () => {
    const long = aFlowWithSteps(manySteps(999));
    const request = { name: 'step_1', newParentStep: 'step_999' };
    const { version } = await applyOperation(long, 'MOVE_ACTION', request);
    expect(outlineOf(version.trigger)).toMatch(/^trigger step_2 .* step_999 step_1$/);
  });

  it.each<[string, object, string]>([
    ['an unknown step', { name: 'nope', newParentStep: 'first' }, '"nope"'],
    ['a step to an unknown one', { name: 'first', newParentStep: 'nope' }, '"nope"'],
    ['the trigger', { name: 'trigger', newParentStep: 'first' }, 'trigger'],
    ['a step behind itself', { name: 'first', newParentStep: 'first' }, 'first'],
    ['a loop into itself', { name: 'each', newParentStep: 'each', ...inLoop }, 'each'],
    ['a loop into its own body', { name: 'each', newParentStep: 'inner' }, 'each'],
    ['a step into a loop that is none', { name: 'each', newParentStep: 'first', ...inLoop }, 'first'],
    ['a step into a branch that is not there', { name: 'first', newParentStep: 'choice', ...inBranch(2) }, 'choice'],
    [
      'a step into a branch without saying which',
      { name: 'first', newParentStep: 'choice', stepLocationRelativeToNewParent: 'INSIDE_BRANCH' },
      'choice',
    ],
  ])('refuses to move %s', async (_what, request, part) => {
    expect(await misfitOf(flow, 'MOVE_ACTION', request)).toContain(part);
  });

  it.each<[object, string]>([
    [{ newParentStep: 'first' }, '/request/name'],
    [{ name: 'first' }, '/request/newParentStep'],
    [
      { name: 'first', newParentStep: 'each', stepLocationRelativeToNewParent: 'BEFORE' },
      '/request/stepLocationRelativeToNewParent',
    ],
    [{ name: 'first', newParentStep: 'each', branchIndex: 'x' }, '/request/branchIndex'],
    [{ name: 'first', newParentStep: 'each', parentStep: 'each' }, '/request/parentStep'],
  ])('refuses %j and says where', (request, path) => {
    expect(malformedPathsOf('MOVE_ACTION', request)).toEqual([path]);
  });
});
