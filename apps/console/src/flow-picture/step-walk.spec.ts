import { neighbourOf, parentsOf, type Direction } from './step-walk';
import { aChain, aStep } from './testing/a-step';

const flow = aChain(
  aStep('trigger', { type: 'PIECE_TRIGGER' }),
  aStep('size', {
    type: 'ROUTER',
    settings: { branches: [{ branchName: 'Large' }, { branchName: 'Small' }, { branchName: 'Otherwise' }] },
    children: [aChain(aStep('ask'), aStep('note')), null, aStep('tell')],
  }),
  aStep('each', { type: 'LOOP_ON_ITEMS', firstLoopAction: aStep('send') }),
  aStep('done'),
);

describe('the arrow keys', () => {
  it.each<[string, Direction, string | null]>([
    ['trigger', 'next', 'size'],
    ['size', 'next', 'each'],
    ['note', 'next', 'each'],
    ['done', 'next', null],
    ['each', 'previous', 'size'],
    ['ask', 'previous', 'size'],
    ['trigger', 'previous', null],
    ['size', 'in', 'ask'],
    ['ask', 'in', 'tell'],
    ['note', 'in', 'tell'],
    ['tell', 'in', null],
    ['each', 'in', 'send'],
    ['send', 'out', 'each'],
    ['done', 'out', null],
    ['nobody', 'next', null],
  ])('lead from %s %s to %s', (name, direction, expected) => {
    expect(neighbourOf(flow, name, direction)?.name ?? null).toBe(expected);
  });

  it('know what is around a step', () => {
    expect(parentsOf(flow, 'note').map(({ name }) => name)).toEqual(['size']);
    expect(parentsOf(flow, 'done')).toEqual([]);
  });
});
