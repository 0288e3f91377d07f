import type { FlowTrigger } from '@millrace/domain';

/** A webhook that starts one code step; with an input, one that asks its callers for something. */
export function webhookWithCode(
  name: string,
  code: string,
  { triggerInput = {}, stepInput = {} }: { triggerInput?: object; stepInput?: object } = {},
): FlowTrigger {
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
    nextAction: {
      name,
      displayName: name,
      valid: true,
      type: 'CODE',
      settings: { sourceCode: { code, packageJson: '{}' }, input: stepInput },
    },
  };
  return definition as FlowTrigger;
}

export const ECHO_CODE = 'export const code = async (inputs) => inputs;';
