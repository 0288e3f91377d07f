import { dropPlaces } from './drop-places';
import { aChain, aStep } from './testing/a-step';

const flow = aChain(
  aStep('trigger', { type: 'PIECE_TRIGGER' }),
  aStep('a'),
  aStep('each', { type: 'LOOP_ON_ITEMS', firstLoopAction: aStep('tell') }),
  aStep('size', {
    type: 'ROUTER',
    settings: { branches: [{ branchName: 'Large' }, { branchName: 'Otherwise' }] },
    children: [aStep('ask'), null],
  }),
);

describe('the places to which a step can be moved', () => {
  it('are all but its own and those inside it', () => {
    expect([...dropPlaces(flow, 'each').keys()]).toEqual([
      'trigger/AFTER',
      'size/AFTER',
      'size/INSIDE_BRANCH/0',
      'size/INSIDE_BRANCH/1',
      'ask/AFTER',
    ]);
  });

  it('do not include the head of the branch in which it stands first', () => {
    expect(dropPlaces(flow, 'ask').has('size/INSIDE_BRANCH/0')).toBe(false);
    expect(dropPlaces(flow, 'tell').has('each/INSIDE_LOOP')).toBe(false);
  });

  it('are none for the trigger', () => {
    expect(dropPlaces(flow, 'trigger').size).toBe(0);
  });
});
