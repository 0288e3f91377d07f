import { branch, codeStep, fallback, router } from '../../testing/a-flow-version';
import { aFlowWithSteps, outlineOf } from '../testing/a-flow-with-steps';
import { applyOperation } from '../testing/an-operation-context';
import { malformedPathsOf, misfitOf } from '../testing/refused-operations';
import { branchNamesOf } from '../testing/branch-names-of';

const flow = aFlowWithSteps([
  codeStep('first'),
  router('choice', [
    branch('A', [[]], [codeStep('a')]),
    branch('B', [[]]),
    branch('C', [[]], [codeStep('c')]),
    fallback(),
  ]),
]);

describe('MOVE_BRANCH', () => {
  it.each<[number, number, string, string]>([
    [0, 2, 'B C A Otherwise', 'choice{|c|a|}'],
    [2, 0, 'C A B Otherwise', 'choice{c|a||}'],
    [0, 1, 'B A C Otherwise', 'choice{|a|c|}'],
    [1, 1, 'A B C Otherwise', 'choice{a||c|}'],
  ])('moves branch %i and its steps to %i', async (sourceBranchIndex, targetBranchIndex, names, outline) => {
    const request = { stepName: 'choice', sourceBranchIndex, targetBranchIndex };
    const { version } = await applyOperation(flow, 'MOVE_BRANCH', request);
    expect(branchNamesOf(version, 'choice').join(' ')).toBe(names);
    expect(outlineOf(version.trigger)).toBe(`trigger first ${outline}`);
  });

  it.each<[string, [string, number, number], string]>([
    ['of an unknown step', ['nope', 0, 1], '"nope"'],
    ['of a step without branches', ['first', 0, 1], 'first'],
    ['that is not there', ['choice', 4, 0], 'choice has no branch 4'],
    ['to where there is none', ['choice', 0, 4], 'choice has no branch 4'],
    ['that is the fallback', ['choice', 3, 0], 'fallback branch of choice'],
    ['past the fallback', ['choice', 0, 3], 'choice cannot be moved past its fallback'],
  ])('refuses to move a branch %s', async (_what, [stepName, sourceBranchIndex, targetBranchIndex], part) => {
    const request = { stepName, sourceBranchIndex, targetBranchIndex };
    expect(await misfitOf(flow, 'MOVE_BRANCH', request)).toContain(part);
  });

  it.each<[object, string]>([
    [{ sourceBranchIndex: 0, targetBranchIndex: 1 }, '/request/stepName'],
    [{ stepName: 'choice', targetBranchIndex: 1 }, '/request/sourceBranchIndex'],
    [{ stepName: 'choice', sourceBranchIndex: 0 }, '/request/targetBranchIndex'],
    [{ stepName: 'choice', sourceBranchIndex: 'a', targetBranchIndex: 0 }, '/request/sourceBranchIndex'],
    [{ stepName: 'choice', sourceBranchIndex: 0, targetBranchIndex: 1, branchIndex: 0 }, '/request/branchIndex'],
  ])('refuses %j and says where', (request, path) => {
    expect(malformedPathsOf('MOVE_BRANCH', request)).toEqual([path]);
  });
});
