// Builds the triggers and the steps of flows, as the API takes them, for the flows that the tools publish.

const WEBHOOK = {
  pieceName: 'webhook',
  pieceVersion: '0.1.0',
  triggerName: 'catch_webhook',
  input: { authType: 'none' },
};

/** The trigger of a flow that a webhook starts, where no other settings are given. */
export const trigger = (nextAction, /** @type {object} */ settings = WEBHOOK) => ({
  name: 'trigger',
  displayName: 'Trigger',
  valid: true,
  type: 'PIECE_TRIGGER',
  settings: { ...settings, propertySettings: {} },
  nextAction,
});

/** `options` are more settings of the step, or take the place of these. */
export const code = (name, source, input, nextAction, options = {}) => ({
  name,
  displayName: name,
  valid: true,
  type: 'CODE',
  settings: { sourceCode: { code: source, packageJson: '{}' }, input, ...options },
  ...(nextAction ? { nextAction } : {}),
});

export const loop = (items, body, nextAction) => ({
  name: 'loop',
  displayName: 'Loop',
  valid: true,
  type: 'LOOP_ON_ITEMS',
  settings: { items },
  firstLoopAction: body,
  ...(nextAction ? { nextAction } : {}),
});

export const httpStep = (input) => ({
  name: 'call',
  displayName: 'Call',
  valid: true,
  type: 'PIECE',
  settings: {
    pieceName: 'http',
    pieceVersion: '0.1.0',
    actionName: 'send_request',
    input,
    propertySettings: {},
  },
});

export const builtIn = (name, pieceName, actionName, input, nextAction) => ({
  ...httpStep(input),
  name,
  displayName: name,
  settings: { pieceName, pieceVersion: '0.1.0', actionName, input, propertySettings: {} },
  ...(nextAction ? { nextAction } : {}),
});
