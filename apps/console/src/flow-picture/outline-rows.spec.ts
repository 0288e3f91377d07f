import { openRows, outlineRows } from './outline-rows';
import { aStep } from './testing/a-step';

const flow = aStep('trigger', {
  nextAction: aStep('size', {
    type: 'ROUTER',
    settings: { branches: [{ branchName: 'Large' }, { branchName: 'Otherwise' }] },
    children: [aStep('ask'), null],
    nextAction: aStep('each', { type: 'LOOP_ON_ITEMS', firstLoopAction: aStep('tell') }),
  }),
});

describe('the rows of the outline', () => {
  it('are the steps and branches in reading order, each with its level', () => {
    const rows = outlineRows(flow).map(({ label, level, position, siblings }) => [label, level, position, siblings]);

    expect(rows).toEqual([
      ['trigger', 1, 1, 3],
      ['size', 1, 2, 3],
      ['Large', 2, 1, 2],
      ['ask', 3, 1, 1],
      ['Otherwise', 2, 2, 2],
      ['each', 1, 3, 3],
      ['tell', 2, 1, 1],
    ]);
  });

  it('leave out what is inside closed rows', () => {
    const seen = openRows(outlineRows(flow), new Set(['size']));

    expect(seen.map(({ label }) => label)).toEqual(['trigger', 'size', 'each', 'tell']);
  });

  it('say where a step goes that is added at a branch', () => {
    const otherwise = outlineRows(flow).find(({ label }) => label === 'Otherwise');

    expect(otherwise?.place).toEqual({
      parentStep: 'size',
      stepLocationRelativeToParent: 'INSIDE_BRANCH',
      branchIndex: 1,
    });
  });
});
