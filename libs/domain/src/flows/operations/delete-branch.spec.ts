import { branch, codeStep, fallback, loop, router } from '../../testing/a-flow-version';
import { aFlowWithSteps, outlineOf } from '../testing/a-flow-with-steps';
import { applyOperation } from '../testing/an-operation-context';
import { malformedPathsOf, misfitOf } from '../testing/refused-operations';
import { branchNamesOf } from '../testing/branch-names-of';

const flow = aFlowWithSteps([
  codeStep('first'),
  router('choice', [
    branch('A', [[]], [loop('each', '{{ [1] }}', [codeStep('inner')]), codeStep('then')]),
    branch('B', [[]]),
    fallback([codeStep('right')]),
  ]),
]);

describe('DELETE_BRANCH', () => {
  it('deletes a branch and the steps in it, and forgets their sample data', async () => {
    const request = { stepName: 'choice', branchIndex: 0 };
    const { version, sampleData } = await applyOperation(flow, 'DELETE_BRANCH', request);
    expect(branchNamesOf(version, 'choice')).toEqual(['B', 'Otherwise']);
    expect(outlineOf(version.trigger)).toBe('trigger first choice{|right}');
    expect(sampleData).toEqual({ kind: 'forget', stepNames: ['each', 'inner', 'then'] });
  });

  it('deletes an empty branch, and has nothing to forget', async () => {
    const request = { stepName: 'choice', branchIndex: 1 };
    const { version, sampleData } = await applyOperation(flow, 'DELETE_BRANCH', request);
    expect(outlineOf(version.trigger)).toBe('trigger first choice{each[inner] then|right}');
    expect(sampleData).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ['of an unknown step', { stepName: 'nope', branchIndex: 0 }, '"nope"'],
    ['of a step without branches', { stepName: 'first', branchIndex: 0 }, 'first'],
    ['that is not there', { stepName: 'choice', branchIndex: 3 }, 'choice has no branch 3'],
    ['that is the fallback', { stepName: 'choice', branchIndex: 2 }, 'fallback branch of choice'],
  ])('refuses to delete a branch %s', async (_what, request, part) => {
    expect(await misfitOf(flow, 'DELETE_BRANCH', request)).toContain(part);
  });

  it.each<[object, string]>([
    [{ branchIndex: 0 }, '/request/stepName'],
    [{ stepName: 'choice' }, '/request/branchIndex'],
    [{ stepName: 'choice', branchIndex: -1 }, '/request/branchIndex'],
    [{ stepName: 'choice', branchIndex: 0, branchName: 'A' }, '/request/branchName'],
  ])('refuses %j and says where', (request, path) => {
    expect(malformedPathsOf('DELETE_BRANCH', request)).toEqual([path]);
  });
});
