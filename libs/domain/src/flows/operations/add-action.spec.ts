import { branch, chain, codeStep, fallback, loop, router } from '../../testing/a-flow-version';
import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import { aFlowWithSteps, deepFrozen, manySteps, outlineOf } from '../testing/a-flow-with-steps';
import { applyOperation, OPERATION_TIME } from '../testing/an-operation-context';
import { malformedPathsOf, misfitOf } from '../testing/refused-operations';
import { MAX_STEP_NESTING, MAX_STEPS_PER_VERSION, type FlowAction } from '../flow-version';
import { parseFlowOperation } from './flow-operation';

const flow = aFlowWithSteps([
  codeStep('first'),
  loop('each', '{{ [1] }}', [codeStep('inner')]),
  router('choice', [branch('Yes', [[]], [codeStep('left')]), fallback()]),
]);
const action = deepFrozen(codeStep('added'));
const nestedLoops = (count: number): FlowAction =>
  Array.from({ length: count }).reduce<FlowAction>(
    (inner, _loop, index) => loop(`loop_${index + 1}`, '{{ [1] }}', [inner]),
    codeStep('innermost'),
  );

describe('ADD_ACTION', () => {
  it.each<[string, object, string]>([
    ['directly after the trigger', { parentStep: 'trigger' }, 'trigger added first each[inner] choice{left|}'],
    [
      'after a step',
      { parentStep: 'first', stepLocationRelativeToParent: 'AFTER' },
      'trigger first added each[inner] choice{left|}',
    ],
    ['after a loop', { parentStep: 'each' }, 'trigger first each[inner] added choice{left|}'],
    ['after the last step', { parentStep: 'choice' }, 'trigger first each[inner] choice{left|} added'],
    ['after a step in a body', { parentStep: 'inner' }, 'trigger first each[inner added] choice{left|}'],
    [
      'first in the body of a loop',
      { parentStep: 'each', stepLocationRelativeToParent: 'INSIDE_LOOP' },
      'trigger first each[added inner] choice{left|}',
    ],
    [
      'first in a branch',
      { parentStep: 'choice', stepLocationRelativeToParent: 'INSIDE_BRANCH', branchIndex: 0 },
      'trigger first each[inner] choice{added left|}',
    ],
    [
      'in an empty branch',
      { parentStep: 'choice', stepLocationRelativeToParent: 'INSIDE_BRANCH', branchIndex: 1 },
      'trigger first each[inner] choice{left|added}',
    ],
  ])('puts the step %s', async (_where, place, outline) => {
    const { version } = await applyOperation(flow, 'ADD_ACTION', { ...place, action });
    expect(outlineOf(version.trigger)).toBe(outline);
  });

  it('puts a whole chain with bodies into the place, and what stood there behind it', async () => {
    const steps = chain([codeStep('a'), loop('b', '{{ [1] }}', [codeStep('c')]), codeStep('d')]);
    const { version } = await applyOperation(flow, 'ADD_ACTION', { parentStep: 'first', action: steps });
    expect(outlineOf(version.trigger)).toBe('trigger first a b[c] d each[inner] choice{left|}');
  });

  it('says which code it brings, so that it can be compiled', () => {
    const operation = parseFlowOperation({ type: 'ADD_ACTION', request: { parentStep: 'first', action } });
    expect(operation.brings).toMatchObject({ name: 'added', settings: { sourceCode: action.settings.sourceCode } });
  });

  it('makes a new draft of a locked version, which stays as it was', async () => {
    const locked = aFlowWithSteps([codeStep('first')], { state: 'LOCKED' });
    const { version, isNewVersion } = await applyOperation(locked, 'ADD_ACTION', { parentStep: 'first', action });
    expect(isNewVersion).toBe(true);
    expect(version).toMatchObject({ id: 'version_2', state: 'DRAFT', created: OPERATION_TIME, updatedBy: 'user_2' });
    expect(outlineOf(version.trigger)).toBe('trigger first added');
    expect(outlineOf(locked.version.trigger)).toBe('trigger first');
  });

  it('works at the end of the longest flow, and not past it', async () => {
    const long = aFlowWithSteps(manySteps(MAX_STEPS_PER_VERSION - 2));
    const { version, flow: changed } = await applyOperation(long, 'ADD_ACTION', { parentStep: 'step_998', action });
    expect(outlineOf(version.trigger)).toMatch(/ step_998 added$/);
    const more = { parentStep: 'added', action: codeStep('too_many') };
    const attempt = applyOperation({ ...changed, version, updatedBy: 'user_2' }, 'ADD_ACTION', more);
    await expect(attempt).rejects.toThrow(FlowOperationInvalidError);
  });

  it('works inside the deepest nesting, and does not make it deeper', async () => {
    const deep = aFlowWithSteps([nestedLoops(MAX_STEP_NESTING)]);
    const { version } = await applyOperation(deep, 'ADD_ACTION', { parentStep: 'innermost', action });
    expect(outlineOf(version.trigger)).toMatch(/\[innermost added\]{100}$/);

    const deeper = { parentStep: 'innermost', action: loop('one_more', '{{ [1] }}', [action]) };
    expect(await misfitOf(deep, 'ADD_ACTION', deeper)).toMatch('nest at most 100 deep');
  });

  it.each<[string, object, string]>([
    ['after an unknown step', { parentStep: 'nope' }, '"nope"'],
    ['inside a loop that is none', { parentStep: 'first', stepLocationRelativeToParent: 'INSIDE_LOOP' }, 'first'],
    ['inside the trigger', { parentStep: 'trigger', stepLocationRelativeToParent: 'INSIDE_LOOP' }, 'trigger'],
    [
      'in a branch of a step without any',
      { parentStep: 'each', stepLocationRelativeToParent: 'INSIDE_BRANCH', branchIndex: 0 },
      'each',
    ],
    [
      'in a branch without saying which',
      { parentStep: 'choice', stepLocationRelativeToParent: 'INSIDE_BRANCH' },
      'branchIndex',
    ],
    [
      'in a branch that is not there',
      { parentStep: 'choice', stepLocationRelativeToParent: 'INSIDE_BRANCH', branchIndex: 2 },
      'choice has no branch 2',
    ],
    ['under a name that is taken', { parentStep: 'first', action: codeStep('inner') }, 'inner'],
    ['under the name of the trigger', { parentStep: 'first', action: codeStep('trigger') }, 'trigger'],
    [
      'with a body in which a name is taken',
      { parentStep: 'first', action: loop('l', '{{ [1] }}', [codeStep('left')]) },
      'left',
    ],
  ])('refuses to put a step %s', async (_where, request, part) => {
    expect(await misfitOf(flow, 'ADD_ACTION', { action, ...request })).toContain(part);
  });

  it.each<[object, string]>([
    [{ action }, '/request/parentStep'],
    [{ parentStep: 'first' }, '/request/action'],
    [{ parentStep: 7, action }, '/request/parentStep'],
    [{ parentStep: 'x'.repeat(101), action }, '/request/parentStep'],
    [{ parentStep: 'first', stepLocationRelativeToParent: 'BEFORE', action }, '/request/stepLocationRelativeToParent'],
    [{ parentStep: 'first', branchIndex: '0', action }, '/request/branchIndex'],
    [{ parentStep: 'first', branchIndex: -1, action }, '/request/branchIndex'],
    [{ parentStep: 'first', branchIndex: 0.5, action }, '/request/branchIndex'],
    [{ parentStep: 'first', action: 'x' }, '/request/action'],
    [{ parentStep: 'first', action: { ...action, type: 'MAGIC' } }, '/request/action/type'],
    [{ parentStep: 'first', action: { ...action, nextAction: { ...action } } }, '/request/action/nextAction/name'],
    [{ parentStep: 'first', action, now: true }, '/request/now'],
  ])('refuses %j and says where', (request, path) => {
    expect(malformedPathsOf('ADD_ACTION', request)).toContain(path);
  });

  it('refuses more steps than a flow may have', () => {
    const request = { parentStep: 'first', action: chain(manySteps(MAX_STEPS_PER_VERSION + 1)) };
    expect(malformedPathsOf('ADD_ACTION', request)).toEqual([`/request/action${'/nextAction'.repeat(1_000)}`]);
  });
});
