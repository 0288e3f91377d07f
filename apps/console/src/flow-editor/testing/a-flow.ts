import type { Step } from '../../flow-picture/step';
import { aChain, aStep } from '../../flow-picture/testing/a-step';
import type { Flow, SavedFlow } from '../flow-requests';

/** A flow of a trigger, a router with one branch of two steps and an empty one, and a loop. */
export const aTrigger = (): Step =>
  aChain(
    aStep('trigger', { type: 'PIECE_TRIGGER' }),
    aStep('size', {
      type: 'ROUTER',
      settings: {
        branches: [
          { branchType: 'CONDITION', branchName: 'Large', conditions: [] },
          { branchType: 'FALLBACK', branchName: 'Otherwise' },
        ],
      },
      children: [aChain(aStep('ask'), aStep('note')), null],
    }),
    aStep('each', { type: 'LOOP_ON_ITEMS', firstLoopAction: aStep('tell') }),
    aStep('done'),
  );

export const aSavedFlow = (trigger = aTrigger(), etag = '"1"', displayName = 'Orders'): SavedFlow => ({
  flow: { id: 'f', version: { displayName, trigger, notes: [] } } as unknown as Flow,
  etag,
});
