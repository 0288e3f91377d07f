import type { FlowTrigger } from '@millrace/domain';

/** Makes a webhook flow with one code step. With an input, the webhook requires it from its callers. */
export function webhookWithCode(
  name: string,
  code: string,
  { triggerInput = {}, stepInput = {} }: { triggerInput?: object; stepInput?: object } = {},
): FlowTrigger {
  const settings = { sourceCode: { code, packageJson: '{}' }, input: stepInput };
  return webhookWith({ name, type: 'CODE', settings }, triggerInput);
}

/** Makes a webhook flow whose runs wait for a person. */
export function webhookWithApproval(): FlowTrigger {
  const action = { pieceName: 'approval', pieceVersion: '0.1.0', actionName: 'wait_for_approval' };
  return webhookWith({ name: 'ask', type: 'PIECE', settings: { ...action, input: {}, propertySettings: {} } });
}

function webhookWith(step: { name: string; type: string; settings: object }, triggerInput: object = {}): FlowTrigger {
  const definition = {
    name: 'trigger',
    displayName: 'Catch Webhook',
    valid: true,
    type: 'PIECE_TRIGGER',
    settings: {
      pieceName: 'webhook',
      pieceVersion: '0.1.0',
      triggerName: 'catch_webhook',
      input: triggerInput,
      propertySettings: {},
    },
    nextAction: { ...step, displayName: step.name, valid: true },
  };
  return definition as FlowTrigger;
}

export const ECHO_CODE = 'export const code = async (inputs) => inputs;';
