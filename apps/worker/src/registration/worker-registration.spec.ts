import { anId } from '@millrace/domain/testing';
import { Logger } from '@nestjs/common';
import type { ApiAnswer, PostToApi } from '../api/api-client';
import { untilRegistered } from './until-registered';
import { WorkerRegistration, WrongWorkerTokenError } from './worker-registration';

const worker = { id: anId(), hostname: 'm', version: '1', queue: 'REDIS', concurrency: 50 } as const;
const settings = { SVC_API_URL: 'http://api:3001', SVC_WORKER_TOKEN: 'the-token' };
const welcome = { heartbeatSeconds: 7, settings: { SVC_FLOW_TIMEOUT_SECONDS: '5' } };

const registrationWith = (post: PostToApi) => new WorkerRegistration(settings, worker, post);
const answering = (statusCode: number, body: unknown) => registrationWith(async () => ({ statusCode, body }));

describe('the registration of a worker', () => {
  it('tells the api who the worker is, by the token', async () => {
    const post = jest.fn(async (): Promise<ApiAnswer> => ({ statusCode: 200, body: welcome }));

    expect(await registrationWith(post).tell()).toEqual(welcome);

    expect(post).toHaveBeenCalledWith('http://api:3001/api/v1/worker-machines', 'the-token', worker);
  });

  it('tells of the walls around packages, when they are known', async () => {
    const post = jest.fn(async (): Promise<ApiAnswer> => ({ statusCode: 200, body: welcome }));

    await registrationWith(post).tell(['network', 'processes']);

    const told = { ...worker, pieceIsolation: ['network', 'processes'] };
    expect(post).toHaveBeenCalledWith('http://api:3001/api/v1/worker-machines', 'the-token', told);
  });

  it('is heard by an api of an earlier release, which refuses to know of walls', async () => {
    const post = jest.fn(async (_url: string, _token: string, body: object) =>
      'pieceIsolation' in body ? { statusCode: 400, body: null } : { statusCode: 200, body: welcome },
    );

    expect(await registrationWith(post).tell([])).toEqual(welcome);
    expect(post).toHaveBeenCalledTimes(2);
  });

  it.each(['INVALID_BEARER_TOKEN', 'INVALID_API_KEY', 'PERMISSION_DENIED'])(
    'names the setting when the api answers %s',
    async (code) => {
      const refused = answering(401, { statusCode: 401, code, params: {} }).tell();
      await expect(refused).rejects.toBeInstanceOf(WrongWorkerTokenError);
      await expect(refused).rejects.toThrow(/^SVC_WORKER_TOKEN is wrong: the api at http:\/\/api:3001 refuses/);
      await expect(refused).rejects.not.toThrow(/the-token/);
    },
  );

  it.each([
    [401, null],
    [404, { code: 'ROUTE_NOT_FOUND' }],
    [503, { code: 'SERVICE_UNAVAILABLE' }],
  ])('does not take %i of something else for a wrong token', async (statusCode, body) => {
    const told = answering(statusCode, body).tell();
    await expect(told).rejects.toThrow(`It answers ${statusCode}`);
    await expect(told).rejects.not.toBeInstanceOf(WrongWorkerTokenError);
  });
});

describe('untilRegistered', () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  const noWait = () => Promise.resolve();
  afterAll(() => jest.restoreAllMocks());

  it('asks again while the api is away', async () => {
    const tell = jest.fn(async () => welcome);
    tell.mockRejectedValueOnce(new Error('connect ECONNREFUSED')).mockRejectedValueOnce(new Error('It answers 503'));

    expect(await untilRegistered({ tell, apiUrl: 'http://api' }, noWait)).toEqual(welcome);
    expect(tell).toHaveBeenCalledTimes(3);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('ends at once with a wrong token', async () => {
    const tell = jest.fn(async () => welcome).mockRejectedValueOnce(new WrongWorkerTokenError('http://api'));

    await expect(untilRegistered({ tell, apiUrl: 'http://api' }, noWait)).rejects.toBeInstanceOf(WrongWorkerTokenError);
    expect(tell).toHaveBeenCalledTimes(1);
  });
});
