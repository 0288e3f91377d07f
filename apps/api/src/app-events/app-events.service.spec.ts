import {
  EntityNotFoundError,
  InvalidRequestError,
  InvalidWebhookSignatureError,
  ServiceUnavailableError,
  type AppEvents,
  type OAuthApps,
  type PieceAnswer,
} from '@millrace/domain';
import { Logger } from '@nestjs/common';
import type { PackageQuestions } from '../pieces/package-questions';
import type { PiecesService } from '../pieces/pieces.service';
import type { ApiSettings } from '../settings/config';
import { AppEventsService } from './app-events.service';

const NAME = '@acme/piece-chat';
const REQUEST = { method: 'POST', headers: {}, queryParams: {}, rawBody: Buffer.from('{}') };
const OURS: PieceAnswer = { problem: 'Packages of pieces do not run on this worker.', isOurs: true };

function setUp(answer: PieceAnswer, SVC_PIECE_PACKAGES: ApiSettings['SVC_PIECE_PACKAGES'] = 'catalogue') {
  const subject = { answer, found: 0, waits: Promise.resolve() };
  const apps = {
    find: async () => (subject.found++, { pieceName: NAME, hasWebhookSecret: true }),
    secretsOf: async () => ({ webhookSecret: 's3cret' }),
  } as unknown as OAuthApps;
  const pieces = { newestInstalled: async () => ({ name: NAME, version: '1.0.0' }) } as unknown as PiecesService;
  const questions = {
    ask: async () => (await subject.waits, subject.answer),
  } as unknown as PackageQuestions;
  const settings = { SVC_PUBLIC_URL: 'https://flows.test', SVC_HOST: '::', SVC_PORT: 80, SVC_PIECE_PACKAGES };
  const service = new AppEventsService(apps, pieces, questions, {} as AppEvents, settings);
  const receive = () => service.receive(NAME, '203.0.113.7', REQUEST);
  return { subject, receive };
}

beforeAll(() => Logger.overrideLogger(false));

describe('the events of apps', () => {
  it('are refused for now by our own trouble, without a word of it', async () => {
    const { receive } = setUp(OURS);

    const error = await receive().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(ServiceUnavailableError);
    expect(error).toMatchObject({ message: 'Events of this app cannot be verified at the moment.' });
    expect((error as ServiceUnavailableError).retryAfterSeconds).toBeGreaterThan(0);
  });

  it('make no suspect of an address by our own trouble', async () => {
    const { subject, receive } = setUp(OURS);
    for (let failed = 0; failed < 25; failed++) await expect(receive()).rejects.toThrow(ServiceUnavailableError);
    subject.answer = { value: { event: null, reply: null } };
    let goOn = (): void => undefined;
    subject.waits = new Promise((done) => (goOn = done));

    const both = [receive(), receive()];
    goOn();

    expect(await Promise.all(both)).toEqual([1, 2].map(() => ({ headers: {}, body: {} })));
  });

  it.each<[string, PieceAnswer, new (...args: never[]) => Error]>([
    ['are not genuine', { value: null }, InvalidWebhookSignatureError],
    ['the package cannot read', { problem: 'Unexpected token' }, InvalidRequestError],
  ])('are refused when they %s', async (_what, answer, error) => {
    await expect(setUp(answer).receive()).rejects.toBeInstanceOf(error);
  });

  it('are not found where packages are off, and nothing is read for them', async () => {
    const { subject, receive } = setUp({ value: null }, 'off');

    await expect(receive()).rejects.toBeInstanceOf(EntityNotFoundError);
    expect(subject.found).toBe(0);
  });
});
