import type { AppRequest } from '@millrace/domain';
import { PackageCalls, UnansweredCall, type PackageAnswer, type PackageCall } from './package-calls';
import { ActionFailure } from '../framework/piece';
import { readAppEvent } from './package-events';

const PIECE = { name: '@acme/piece-chat', version: '1.0.0' };
const REQUEST: AppRequest = {
  payload: {
    method: 'POST',
    headers: { 'x-signature': 'v0' },
    queryParams: {},
    body: { type: 'message' },
    rawBody: '{}',
  },
  webhookSecret: 'signing secret',
  webhookUrl: 'https://millrace.test/api/v1/app-events/@acme%2Fpiece-chat',
  publicUrl: 'https://millrace.test/',
};

class Chat extends PackageCalls {
  readonly calls: PackageCall[] = [];
  verified: PackageAnswer = { value: { isGenuine: true }, output: '' };
  parsed: PackageAnswer = { value: {}, output: '' };

  override async call(call: PackageCall): Promise<PackageAnswer> {
    this.calls.push(call);
    return call.request['kind'] === 'verifyEvent' ? this.verified : this.parsed;
  }
}

const read = (chat: Chat, method = 'POST') =>
  readAppEvent(
    PIECE,
    { ...REQUEST, payload: { ...REQUEST.payload, method } },
    { calls: chat, projectId: 'none', signal: new AbortController().signal },
  );

describe('an event of an app', () => {
  it('is verified with the secret of the app, and then read', async () => {
    const chat = new Chat();
    chat.parsed = {
      value: { event: 'message', identifierValue: 42, reply: { body: 'x', headers: { a: 1 } } },
      output: '',
    };

    expect(await read(chat)).toEqual({
      event: { name: 'message', identifierValue: '42' },
      reply: { headers: { a: '1' }, body: 'x' },
    });
    const { payload, webhookSecret, webhookUrl: appWebhookUrl, publicUrl } = REQUEST;
    expect(chat.calls.map(({ request }) => request)).toEqual([
      { kind: 'verifyEvent', payload, webhookSecret, appWebhookUrl },
      { kind: 'parseEvent', payload, server: { publicUrl } },
    ]);
  });

  it.each<[string, PackageAnswer]>([
    ['says that it is not genuine', { value: { isGenuine: false }, output: '' }],
    ['says something else than yes', { value: { isGenuine: 'yes' }, output: '' }],
    ['throws', { failure: 'secret or private key must have a value', output: '' }],
  ])('is none of the provider when the package %s, and is not read', async (_what, verified) => {
    const chat = new Chat();
    chat.verified = verified;

    expect(await read(chat)).toBeNull();
    expect(chat.calls).toHaveLength(1);
  });

  it.each(['verified', 'parsed'] as const)('is not known when no answer of the package came (%s)', async (which) => {
    const chat = new Chat();
    chat[which] = { failure: 'The piece reached its memory limit.', output: '', isUnanswered: true };

    await expect(read(chat)).rejects.toThrow(new UnansweredCall('The piece reached its memory limit.'));
    await expect(read(chat)).rejects.toBeInstanceOf(UnansweredCall);
  });

  it.each([
    [{ reply: { body: 'challenge' } }, { headers: {}, body: 'challenge' }],
    [{ event: 'message' }, null],
    [null, null],
  ])('may be none for any flow (%j)', async (value, reply) => {
    const chat = new Chat();
    chat.parsed = { value, output: '' };

    expect(await read(chat)).toEqual({ event: null, reply });
  });

  it.each<[string, PackageAnswer, unknown]>([
    [
      'is answered by the package',
      { value: { reply: { body: '123' }, event: 'a', identifierValue: 'b' }, output: '' },
      { event: null, reply: { headers: {}, body: '123' } },
    ],
    ['has no answer', { value: { event: 'message', identifierValue: 'b' }, output: '' }, null],
    ['makes the package throw', { failure: 'entry is undefined', output: '' }, null],
  ])('is no event as a GET, of which nothing is signed: it %s', async (_what, parsed, expected) => {
    const chat = new Chat();
    chat.parsed = parsed;
    chat.verified = { failure: 'There is no signature.', output: '' };

    expect(await read(chat, 'GET')).toEqual(expected);
    expect(chat.calls.map(({ request }) => request['kind'])).toEqual(['parseEvent']);
  });

  it('fails with what the package throws at a genuine request', async () => {
    const chat = new Chat();
    chat.parsed = { failure: 'Unexpected token', output: '' };

    const failure = await read(chat).catch((error: unknown) => error);

    expect(failure).toEqual(new ActionFailure('Unexpected token'));
    expect(failure).not.toBeInstanceOf(UnansweredCall);
  });
});
