import { builtInStep, codeStep, loop, pieceStep, webhookTrigger } from '../testing/a-flow-version';
import { contentsOf } from './version-contents';

describe('the contents of a version', () => {
  it('are its trigger, its pieces and the number of its steps, those in bodies too', () => {
    const steps = [
      pieceStep('a'),
      loop('each', '', [builtInStep('b', 'delay', 'delay_for'), codeStep('c')]),
      pieceStep('d'),
    ];
    expect(contentsOf(webhookTrigger(steps))).toEqual({
      trigger: expect.objectContaining({ pieceName: 'webhook', triggerName: 'catch_webhook' }),
      pieceNames: ['webhook', 'http', 'delay'],
      stepsCount: 5,
    });
  });

  it('have no trigger while none is chosen', () => {
    const trigger = {
      name: 'trigger',
      displayName: 'Select Trigger',
      type: 'EMPTY',
      settings: {},
      valid: false,
    } as const;
    expect(contentsOf(trigger)).toEqual({ trigger: null, pieceNames: [], stepsCount: 0 });
  });
});
