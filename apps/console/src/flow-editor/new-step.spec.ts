import type { Piece } from '../api/pieces';
import { newStep, stepKinds, triggerKinds } from './new-step';
import { matchingKinds } from './offers';

const action = (displayName: string, description: string) => ({
  displayName,
  description,
  props: {},
  requiresAuth: false,
});

const PIECES = [
  {
    name: 'http',
    displayName: 'HTTP',
    version: '0.1.0',
    triggers: {},
    actions: { send_request: action('Send request', 'Calls another service.') },
  },
  {
    name: 'webhook',
    displayName: 'Webhook',
    version: '0.1.0',
    triggers: { catch_webhook: action('Catch Webhook', 'Starts a run for each request.') },
    actions: { return_response: action('Return Response', 'Answers the request.') },
  },
] as unknown as Piece[];

const namesFor = (typed: string) => matchingKinds(stepKinds(PIECES), typed).map(({ name }) => name);

describe('the steps that can be added', () => {
  it('are code, loop, router and the actions of pieces', () => {
    expect(namesFor('')).toEqual(['Code', 'Loop', 'Router', 'Send request', 'Return Response']);
    expect(triggerKinds(PIECES).map(({ name }) => name)).toEqual(['Catch Webhook']);
  });

  it('are found by words of the name and of the piece first, then of the description', () => {
    expect(namesFor('request')).toEqual(['Send request', 'Return Response']);
    expect(namesFor('web resp')).toEqual(['Return Response']);
    expect(namesFor('nothing of this')).toEqual([]);
  });

  it('are those triggers of a package that something else starts', () => {
    const triggers = {
      added: { ...action('Added', ''), triggerType: 'POLLING' },
      hook: { ...action('Hook', ''), triggerType: 'MANUAL' },
    };
    const piece = { ...PIECES[0], category: 'APPS', triggers } as unknown as Piece;

    expect(triggerKinds([piece]).map(({ name }) => name)).toEqual(['Added']);
    expect(triggerKinds([{ ...piece, category: 'FLOW' }])).toHaveLength(2);
  });

  it('get a name that is free', () => {
    const [code] = stepKinds(PIECES);

    expect(code && newStep(code, new Set(['trigger', 'step_1', 'step_3'])).name).toBe('step_2');
  });

  it('name the piece and its action', () => {
    const send = stepKinds(PIECES).find(({ name }) => name === 'Send request');

    expect(send && newStep(send, new Set())).toMatchObject({
      type: 'PIECE',
      settings: { pieceName: 'http', pieceVersion: '0.1.0', actionName: 'send_request', input: {} },
    });
  });
});
