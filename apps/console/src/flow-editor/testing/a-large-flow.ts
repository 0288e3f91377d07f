import type { Step } from '../../flow-picture/step';
import type { Definition } from '../definition';
import { namesOf } from '../step-tree';
import { edited } from '../edit-flow';
import { diceOf, randomEdit } from './random-edit';

const TRIGGER: Step = {
  name: 'trigger',
  displayName: 'Catch Webhook',
  type: 'PIECE_TRIGGER',
  valid: true,
  settings: {
    pieceName: 'webhook',
    pieceVersion: '0.1.0',
    triggerName: 'catch_webhook',
    input: { authType: 'none' },
    propertySettings: {},
  },
};

/** A flow of at least so many steps, as somebody with dice would build it. The same seed gives the same flow. */
export function aLargeFlow(steps: number, seed: number): Definition {
  const dice = diceOf(seed);
  let flow: Definition = { displayName: 'Order intake', trigger: TRIGGER, notes: [] };
  while (namesOf(flow.trigger).size < steps)
    flow = randomEdit(flow, dice)
      .filter(({ type }) => type !== 'DELETE_ACTION' && type !== 'DUPLICATE_ACTION')
      .reduce(edited, flow);
  return flow;
}
