import { BuiltInPieces } from './built-in-pieces';
import { defineAction, definePiece } from './piece';
import { resolvePieceName } from './piece-name';

describe('BuiltInPieces', () => {
  const pieces = new BuiltInPieces();

  it.each([
    ['webhook', '0.1.0'],
    ['@activepieces/piece-webhook', '~0.1.20'],
  ])('knows the webhook trigger as %s %s', (name, version) => {
    expect(pieces.findTrigger(name, version, 'catch_webhook')).toMatchObject({
      pieceName: 'webhook',
      pieceVersion: '0.1.0',
      triggerName: 'catch_webhook',
      resultType: 'WEBHOOK',
      requiredInputs: [],
    });
  });

  it.each([
    ['webhook', 'other'],
    ['webhook', 'toString'],
    ['nobody', 'catch_webhook'],
    ['@activepieces/piece-nobody', 'catch_webhook'],
  ])('does not know %s %s', (piece, name) => {
    expect(pieces.findTrigger(piece, '0.1.0', name)).toBeNull();
    expect(pieces.findAction(piece, '0.1.0', name)).toBeNull();
  });

  it.each([[{}], [{ authType: 'none' }], [{ authType: '' }], [{ authType: null }]])('accepts %j', (input) =>
    expect(pieces.findTrigger('webhook', '', 'catch_webhook')?.inputProblems(input)).toEqual([]),
  );

  it.each(['hmac', 'basic', 'header', 'github', 'stripe', 'slack', 'standard_webhooks'])(
    'never takes a request for genuine that asks for %s',
    (authType) =>
      expect(pieces.findTrigger('webhook', '', 'catch_webhook')?.inputProblems({ authType })).toEqual([
        'Signature checks are not available yet.',
      ]),
  );

  it.each(['NONE', '{{trigger.auth}}', 5, ['none']])('has no authentication type %j', (authType) =>
    expect(pieces.findTrigger('webhook', '', 'catch_webhook')?.inputProblems({ authType })).toHaveLength(1),
  );

  it('says which required inputs are missing', async () => {
    const greet = defineAction({
      displayName: 'Greet',
      description: '',
      props: {
        name: { kind: 'text', displayName: 'Name', required: true },
        times: { kind: 'number', displayName: 'Times', required: false },
      },
      run: async ({ input }) => input.name.repeat(input.times ?? 1),
    });
    const piece = {
      name: 'greeter',
      displayName: '',
      description: '',
      version: '1.0.0',
      triggers: {},
      actions: { greet },
    };
    const action = new BuiltInPieces([definePiece(piece)]).findAction('greeter', '1.0.0', 'greet');

    expect(action).toMatchObject({ actionName: 'greet', requiredInputs: ['name'] });
    expect(action?.inputProblems({ name: '' })).toEqual(['The input "Name" is required.']);
    expect(action?.inputProblems({ name: 'Ann' })).toEqual([]);
  });
});

describe('resolvePieceName', () => {
  it.each([
    ['@activepieces/piece-webhook', 'webhook'],
    ['@activepieces/piece-human-input', 'human_input'],
    ['webhook', 'webhook'],
    ['@acme/piece-webhook', '@acme/piece-webhook'],
  ])('%s is %s', (name, resolved) => expect(resolvePieceName(name)).toBe(resolved));
});
