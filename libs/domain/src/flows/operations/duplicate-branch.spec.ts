import { branch, codeStep, fallback, router } from '../../testing/a-flow-version';
import { aFlowWithSteps, outlineOf } from '../testing/a-flow-with-steps';
import { applyOperation } from '../testing/an-operation-context';
import { malformedPathsOf, misfitOf } from '../testing/refused-operations';
import { branchNamesOf } from '../testing/branch-names-of';
import type { BranchCondition } from '../flow-version';
import { findStep, routerNamed } from '../step-tree';

const conditions: BranchCondition[][] = [[{ firstValue: '{{ first.ok }}', operator: 'BOOLEAN_IS_TRUE' }]];
const flow = aFlowWithSteps([
  codeStep('first'),
  router('choice', [
    branch('A', conditions, [codeStep('a'), codeStep('b', { x: '{{ a.x + first.y + choice.z }}' })]),
    branch('B', [[]]),
    fallback([codeStep('right')]),
  ]),
]);

describe('DUPLICATE_BRANCH', () => {
  it('puts a copy of a branch and its steps, under fresh names, directly after it', async () => {
    const { version } = await applyOperation(flow, 'DUPLICATE_BRANCH', { stepName: 'choice', branchIndex: 0 });
    expect(branchNamesOf(version, 'choice')).toEqual(['A', 'A Copy', 'B', 'Otherwise']);
    expect(outlineOf(version.trigger)).toBe('trigger first choice{a b|a_copy b_copy||right}');
    expect(routerNamed(version.trigger, 'choice').settings.branches[1]).toMatchObject({ conditions });
    expect(findStep(version.trigger, 'b_copy')).toMatchObject({
      displayName: 'b',
      settings: { input: { x: '{{ a_copy.x + first.y + choice.z }}' } },
    });
  });

  it('copies an empty branch', async () => {
    const { version } = await applyOperation(flow, 'DUPLICATE_BRANCH', { stepName: 'choice', branchIndex: 1 });
    expect(outlineOf(version.trigger)).toBe('trigger first choice{a b|||right}');
  });

  it('gives the copy the name and conditions of the request', async () => {
    const request = { stepName: 'choice', branchIndex: 0, branchName: 'Again', conditions: [] };
    const { version } = await applyOperation(flow, 'DUPLICATE_BRANCH', request);
    const { branches } = routerNamed(version.trigger, 'choice').settings;
    expect(branches[0]).toMatchObject({ branchName: 'A', conditions });
    expect(branches[1]).toMatchObject({ branchName: 'Again', conditions: [] });
  });

  it.each<[string, object, string]>([
    ['of an unknown step', { stepName: 'nope', branchIndex: 0 }, '"nope"'],
    ['of a step without branches', { stepName: 'first', branchIndex: 0 }, 'first'],
    ['that is not there', { stepName: 'choice', branchIndex: 3 }, 'choice has no branch 3'],
    ['that is the fallback', { stepName: 'choice', branchIndex: 2 }, 'fallback branch of choice'],
  ])('refuses to duplicate a branch %s', async (_what, request, part) => {
    expect(await misfitOf(flow, 'DUPLICATE_BRANCH', request)).toContain(part);
  });

  it.each<[object, string]>([
    [{ branchIndex: 0 }, '/request/stepName'],
    [{ stepName: 'choice' }, '/request/branchIndex'],
    [{ stepName: 'choice', branchIndex: 0, branchName: 1 }, '/request/branchName'],
    [{ stepName: 'choice', branchIndex: 0, conditions: ['x'] }, '/request/conditions/0'],
  ])('refuses %j and says where', (request, path) => {
    expect(malformedPathsOf('DUPLICATE_BRANCH', request)).toEqual([path]);
  });
});
