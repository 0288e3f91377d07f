import {
  IdempotencyInProgressError,
  IdempotencyKeyReusedError,
  InvalidRequestError,
  PermissionDeniedError,
  ServiceUnavailableError,
  permitted,
  type Principal,
  type ProjectRepository,
  type ProjectRole,
} from '@millrace/domain';
import { HandDrivenClock, InMemoryIdempotencyRecords, aPrincipal } from '@millrace/domain/testing';
import { Logger, type ExecutionContext } from '@nestjs/common';
import { from, lastValueFrom } from 'rxjs';
import { ProjectAccess } from '../auth/project-access';
import { IdempotencyInterceptor } from './idempotency.interceptor';

const alice = aPrincipal({}, { userId: 'alice' });
const key: Principal = { ...alice, kind: 'api_key', apiKeyId: '1', expiresAt: null };

/** Has the part of a Fastify reply that the interceptor uses. */
class FakeReply {
  statusCode = 201;
  private readonly set: Record<string, string> = { 'x-request-id': 'request' };

  getHeaders(): Record<string, string> {
    return { ...this.set };
  }

  status(code: number): this {
    this.statusCode = code;
    return this;
  }

  header(name: string, value: string): this {
    this.set[name.toLowerCase()] = value;
    return this;
  }

  headers(values: Record<string, string>): this {
    for (const [name, value] of Object.entries(values)) this.header(name, value);
    return this;
  }

  type(value: string): this {
    return this.header('content-type', value);
  }
}

interface Asked {
  method?: string;
  url?: string;
  idempotencyKey?: string;
  body?: string;
  user?: Principal | null;
}

interface Given {
  statusCode: number;
  body: unknown;
  headers: Record<string, string>;
}

describe('IdempotencyInterceptor', () => {
  let records: InMemoryIdempotencyRecords;
  let interceptor: IdempotencyInterceptor;
  let handler: jest.Mock<Promise<unknown>, [FakeReply]>;

  beforeEach(() => {
    records = new InMemoryIdempotencyRecords();
    const existing = (ids: readonly string[]) => Promise.resolve(new Set(ids));
    const access = new ProjectAccess({ existing } as unknown as ProjectRepository);
    interceptor = new IdempotencyInterceptor(records, new HandDrivenClock(), access);
    let made = 0;
    handler = jest.fn((reply: FakeReply) => {
      reply.header('etag', '"1"');
      return Promise.resolve({ id: `made_${++made}`, at: new Date(0), left: undefined });
    });
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });
  afterEach(() => jest.restoreAllMocks());

  async function ask({ method, url, idempotencyKey = 'k', body, user = alice }: Asked = {}): Promise<Given> {
    const reply = new FakeReply();
    const request = {
      method: method ?? 'POST',
      url: url ?? '/api/v1/flows',
      headers: idempotencyKey === 'none' ? {} : { 'idempotency-key': idempotencyKey },
      rawBody: body === undefined ? undefined : Buffer.from(body),
      body: body === undefined ? undefined : (JSON.parse(body) as unknown),
      user: user ?? undefined,
    };
    const context = {
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => reply }),
    } as unknown as ExecutionContext;
    const handle = () => from(handler(reply));
    const answered = await lastValueFrom(await interceptor.intercept(context, { handle }));
    return { statusCode: reply.statusCode, body: answered, headers: reply.getHeaders() };
  }

  it('gives the first answer again, to the last byte, with its headers and the mark of a replay', async () => {
    const first = await ask({ body: '{}' });
    const second = await ask({ body: '{}' });

    expect(first.body).toBe('{"id":"made_1","at":"1970-01-01T00:00:00.000Z"}');
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(second).toEqual({ ...first, headers: { ...first.headers, 'idempotent-replayed': 'true' } });
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it('gives an answer without a body again', async () => {
    handler.mockImplementation((reply) => Promise.resolve(void reply.status(204)));
    await ask();
    expect(await ask()).toMatchObject({ statusCode: 204, body: undefined, headers: { 'idempotent-replayed': 'true' } });
  });

  it.each<[string, Asked]>([
    ['another body', { body: '{"a":1}' }],
    ['no body', {}],
    ['the same value written in another way', { body: '{ }' }],
    ['another address', { body: '{}', url: '/api/v1/projects' }],
    ['another query', { body: '{}', url: '/api/v1/flows?a=1' }],
  ])('refuses a key that comes again with %s', async (_what, asked) => {
    await ask({ body: '{}' });
    await expect(ask(asked)).rejects.toThrow(IdempotencyKeyReusedError);
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it('refuses a repetition while the first request is under way', async () => {
    let finish: (value: object) => void = () => undefined;
    handler.mockReturnValueOnce(new Promise((resolve) => (finish = resolve)));
    const first = ask();

    await expect(ask()).rejects.toThrow(IdempotencyInProgressError);

    finish({ id: 'slow' });
    expect((await first).body).toBe('{"id":"slow"}');
    expect((await ask()).body).toBe('{"id":"slow"}');
  });

  it('lets a request that failed be repeated, also with another body', async () => {
    handler.mockRejectedValueOnce(new PermissionDeniedError('WRITE_FLOW'));
    await expect(ask({ body: '{}' })).rejects.toThrow(PermissionDeniedError);
    expect((await ask({ body: '{"corrected":true}' })).statusCode).toBe(201);
  });

  const unknown = new ServiceUnavailableError('Whether the run was accepted is not known.', 5, { flowRunId: 'run_1' });

  it('gives the same answer again when it is not known whether a run was made, and makes no second one', async () => {
    handler.mockRejectedValueOnce(unknown);
    await expect(ask()).rejects.toBe(unknown);

    const again = await ask();
    expect(again).toMatchObject({ statusCode: 503, headers: { 'retry-after': '5', 'idempotent-replayed': 'true' } });
    expect(JSON.parse(again.body as string)).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      params: { flowRunId: 'run_1' },
    });
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it('keeps the key taken while it cannot be noted that the outcome is not known, and notes it later', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    handler.mockRejectedValueOnce(unknown);
    jest.spyOn(records, 'keep').mockRejectedValueOnce(new Error('The database is away.'));
    await expect(ask()).rejects.toBe(unknown);
    await expect(ask()).rejects.toThrow(IdempotencyInProgressError);

    await jest.advanceTimersByTimeAsync(1_000);
    expect((await ask()).statusCode).toBe(503);
    expect(handler).toHaveBeenCalledTimes(1);
    jest.useRealTimers();
  });

  it('does not keep an answer that is no success', async () => {
    handler.mockImplementationOnce((reply) => Promise.resolve((reply.status(503), { ready: false })));
    expect((await ask()).statusCode).toBe(503);
    expect((await ask()).body).toContain('made_1');
  });

  it.each<[string, Asked]>([
    ['the key of another principal', { user: key }],
    ['no key', { idempotencyKey: 'none' }],
    ['a route that needs no credentials', { user: null }],
    ['a method that is not POST', { method: 'DELETE' }],
  ])('has nothing to do with %s', async (_what, asked) => {
    await ask();
    await ask(asked);
    expect((await ask(asked)).headers['idempotent-replayed']).toBe(asked.user === key ? 'true' : undefined);
    expect(handler.mock.calls.length).toBeGreaterThan(1);
  });

  describe('whose caller has another role by then', () => {
    const as = (roles: ProjectRole | Record<string, ProjectRole>) =>
      permitted(aPrincipal(roles, { userId: 'alice' }), 'WRITE_API_KEY');
    const before = as({ p1: 'ADMIN', p2: 'ADMIN' });

    it.each<[string, unknown, string, Principal, string]>([
      ['removed from the project of the answer', { projectId: 'p1' }, '{}', as({ p2: 'ADMIN' }), 'AUTHORIZATION'],
      ['demoted there', { projectId: 'p1' }, '{}', as({ p1: 'VIEWER', p2: 'ADMIN' }), 'PERMISSION_DENIED'],
      [
        'removed from the project of the body',
        { count: 1 },
        '{"projectId":"p1"}',
        as({ p2: 'ADMIN' }),
        'AUTHORIZATION',
      ],
      ['demoted everywhere', { count: 1 }, '{"projectId":null}', as({ p1: 'VIEWER' }), 'PERMISSION_DENIED'],
      ['no administrator of the platform', { projectId: null }, '{}', as({ p1: 'ADMIN' }), 'PERMISSION_DENIED'],
    ])('is refused when %s', async (_what, answer, body, user, code) => {
      handler.mockResolvedValue({ ...(answer as object), value: 'secret' });
      await ask({ user: before, body });
      await expect(ask({ user, body })).rejects.toMatchObject({ code });
      expect(handler).toHaveBeenCalledTimes(1);
    });

    it.each<[string, unknown, Principal]>([
      ['still permitted in the project of the answer', { projectId: 'p1' }, as({ p1: 'ADMIN' })],
      ['an administrator of the platform', { projectId: null }, as('ADMIN')],
      ['still permitted somewhere, and the answer names no project', {}, as({ p2: 'ADMIN' })],
    ])('gets the answer again when %s', async (_what, answer, user) => {
      handler.mockResolvedValue(answer);
      await ask({ user: before, body: '{}' });
      expect((await ask({ user, body: '{}' })).headers['idempotent-replayed']).toBe('true');
    });
  });

  it.each(['', ' ', 'a b', 'ü', 'x'.repeat(256), 'a, b'])('refuses the key %j', async (idempotencyKey) => {
    const attempt = ask({ idempotencyKey });
    await expect(attempt).rejects.toThrow(InvalidRequestError);
    await expect(attempt).rejects.toMatchObject({ params: { errors: [{ path: '/idempotency-key' }] } });
    expect(handler).not.toHaveBeenCalled();
  });

  it('takes a key of 255 characters', async () => {
    expect((await ask({ idempotencyKey: 'x'.repeat(255) })).statusCode).toBe(201);
  });

  it('answers all the same, with a warning, when the answer could not be kept', async () => {
    jest.spyOn(records, 'keep').mockRejectedValueOnce(new Error('The database is away.'));
    expect((await ask()).body).toContain('made_1');
    expect(Logger.prototype.warn).toHaveBeenCalledTimes(1);
  });

  it('gives the error of the request, with a warning, when the key could not be released', async () => {
    handler.mockRejectedValueOnce(new PermissionDeniedError('WRITE_FLOW'));
    jest.spyOn(records, 'release').mockRejectedValueOnce(new Error('The database is away.'));
    await expect(ask()).rejects.toThrow(PermissionDeniedError);
    expect(Logger.prototype.warn).toHaveBeenCalledTimes(1);
  });

  it('asks nothing of the service when it cannot be known whether the request came before', async () => {
    jest.spyOn(records, 'claim').mockRejectedValueOnce(new Error('The database is away.'));
    await expect(ask()).rejects.toThrow('The database is away.');
    expect(handler).not.toHaveBeenCalled();
  });
});
