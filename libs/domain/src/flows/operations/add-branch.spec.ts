import { branch, codeStep, fallback, router } from '../../testing/a-flow-version';
import { aFlowWithSteps, outlineOf } from '../testing/a-flow-with-steps';
import { applyOperation } from '../testing/an-operation-context';
import { malformedPathsOf, misfitOf } from '../testing/refused-operations';
import { branchNamesOf } from '../testing/branch-names-of';
import { routerNamed } from '../step-tree';

const flow = aFlowWithSteps([
  codeStep('first'),
  router('choice', [branch('Yes', [[]], [codeStep('left')]), fallback([codeStep('right')])]),
  router('strict', [branch('Yes', [[]], [codeStep('only')])]),
  router('bare', []),
]);
const conditions = [[{ firstValue: '{{ first.ok }}', operator: 'BOOLEAN_IS_TRUE' }]];

describe('ADD_BRANCH', () => {
  it.each<[string, object, string[], string]>([
    ['before a trailing fallback', { stepName: 'choice' }, ['Yes', 'Branch 2', 'Otherwise'], 'choice{left||right}'],
    ['last where there is no fallback', { stepName: 'strict' }, ['Yes', 'Branch 2'], 'strict{only|}'],
    ['first of a router without any', { stepName: 'bare' }, ['Branch 1'], 'bare{}'],
    [
      'at the index given',
      { stepName: 'choice', branchIndex: 0, branchName: 'Maybe' },
      ['Maybe', 'Yes', 'Otherwise'],
      'choice{|left|right}',
    ],
    [
      'at the end, when that is the index given',
      { stepName: 'choice', branchIndex: 2, branchName: 'Late' },
      ['Yes', 'Otherwise', 'Late'],
      'choice{left|right|}',
    ],
  ])('puts an empty branch %s', async (_where, request, names, outline) => {
    const { version } = await applyOperation(flow, 'ADD_BRANCH', request);
    const { stepName } = request as { stepName: string };
    expect(branchNamesOf(version, stepName)).toEqual(names);
    expect(outlineOf(version.trigger).split(' ')).toContain(outline);
  });

  it.each([
    ['the conditions given', { conditions }, conditions],
    ['none, so that it is never taken, when none are given', {}, []],
  ])('gives the branch %s', async (_what, more, expected) => {
    const { version } = await applyOperation(flow, 'ADD_BRANCH', { stepName: 'bare', ...more });
    expect(routerNamed(version.trigger, 'bare').settings.branches).toEqual([
      { branchType: 'CONDITION', branchName: 'Branch 1', conditions: expected },
    ]);
  });

  it.each<[string, object, string]>([
    ['an unknown step', { stepName: 'nope' }, '"nope"'],
    ['a step without branches', { stepName: 'first' }, 'first'],
    ['the trigger', { stepName: 'trigger' }, 'trigger'],
    ['a place that is not there', { stepName: 'choice', branchIndex: 3 }, 'choice has 2 branches'],
  ])('refuses %s', async (_what, request, part) => {
    expect(await misfitOf(flow, 'ADD_BRANCH', request)).toContain(part);
  });

  it.each<[object, string]>([
    [{}, '/request/stepName'],
    [{ stepName: 'choice', branchIndex: 1.5 }, '/request/branchIndex'],
    [{ stepName: 'choice', branchName: 1 }, '/request/branchName'],
    [{ stepName: 'choice', conditions: {} }, '/request/conditions'],
    [{ stepName: 'choice', conditions: [[{ operator: 7 }]] }, '/request/conditions/0/0/operator'],
    [{ stepName: 'choice', branchType: 'FALLBACK' }, '/request/branchType'],
  ])('refuses %j and says where', (request, path) => {
    expect(malformedPathsOf('ADD_BRANCH', request)).toEqual([path]);
  });
});
