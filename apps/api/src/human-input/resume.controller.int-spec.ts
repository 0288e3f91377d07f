import { RunWaits, type RunRequest } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import { createHttpApp } from '@millrace/http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { HumanInputModule } from './human-input.module';

const runId = anId();
const requestId = 'AbCdEfGhIjKlMnOpQrStUv';
const PATH = `/api/v1/flow-runs/${runId}/requests/${requestId}`;
const settings = {
  SVC_HOST: '127.0.0.1',
  SVC_PORT: 0,
  SVC_PUBLIC_URL: undefined,
  SVC_TRUSTED_PROXIES: [],
  SVC_LOG_LEVEL: 'silent' as const,
};

interface RequestAnswer {
  body: unknown;
  queryParams: unknown;
  headers: Record<string, string>;
}

/** Holds one request of one run. */
class OneWait extends RunWaits {
  row: RunRequest;

  find = (ofRun: string, id: string) => Promise.resolve(ofRun === runId && id === requestId ? { ...this.row } : null);

  override open = (): Promise<void> => Promise.resolve();

  answer = (_runId: string, _requestId: string, answer: unknown) => {
    if (this.row.answer !== undefined)
      return Promise.resolve(isDeepStrictEqual(this.row.answer, answer) ? ('repeated' as const) : ('refused' as const));
    if (!this.row.isOpen) return Promise.resolve('refused' as const);
    this.row = { ...this.row, status: 'RUNNING', isOpen: false, answer };
    return Promise.resolve('answered' as const);
  };

  endDue = () => Promise.resolve({ ended: 0 });
}

describe('the link of a request', () => {
  const waits = new OneWait();
  let app: NestFastifyApplication;
  let baseUrl: string;

  beforeAll(async () => {
    const module = {
      module: class {},
      global: true,
      imports: [HumanInputModule],
      providers: [{ provide: RunWaits, useValue: waits }],
      exports: [RunWaits],
    };
    app = await createHttpApp(module, settings, { name: 'test' });
    await app.listen(0, '127.0.0.1');
    baseUrl = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  });
  afterAll(() => app.close());
  beforeEach(() => asking({ kind: 'approval' }));

  const asking = (request: RunRequest['request'], more: Partial<RunRequest> = {}) => {
    waits.row = {
      requestId,
      runId,
      projectId: anId(),
      flowName: 'Orders',
      request,
      status: 'PAUSED',
      isOpen: true,
      ...more,
    };
  };
  /** Returns the answer as a value, so that each test can read the parts it needs. */
  const send = async (path: string, init: RequestInit) => {
    const answer = await fetch(`${baseUrl}${path}`, init);
    const body = await answer.text();
    const headers = Object.fromEntries(answer.headers.entries());
    return { statusCode: answer.status, headers, body, json: (): unknown => JSON.parse(body) };
  };
  const get = (path = PATH, accept = '*/*', method: 'GET' | 'HEAD' = 'GET') =>
    send(path, { method, headers: { accept } });
  const post = (body: unknown, path = `${PATH}/sync`, headers: Record<string, string> = {}) =>
    send(path, {
      method: 'POST',
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
  const postForm = (payload: string, path = PATH) =>
    post(payload, path, { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html,*/*;q=0.8' });

  describe('looked at', () => {
    it.each(['', '/sync', '?action=approve', '/sync?action=disapprove'])('at %j shows the page', async (rest) => {
      const { statusCode, headers, body } = await get(PATH + rest);
      expect({ statusCode, type: headers['content-type'] }).toEqual({
        statusCode: 200,
        type: 'text/html; charset=utf-8',
      });
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' });
      expect(body).toContain('Orders');
    });

    it.each(['GET', 'HEAD'] as const)('by %s never resumes', async (method) => {
      for (const path of [PATH, `${PATH}/sync?action=approve`])
        expect((await get(path, 'text/html', method)).statusCode).toBe(200);
      expect(waits.row).not.toHaveProperty('answer');
    });

    it.each<[string, Partial<RunRequest>, string, number, string, string]>([
      ['unknown', {}, `${PATH.slice(0, -1)}x`, 404, 'ENTITY_NOT_FOUND', 'leads nowhere'],
      ['answered', { isOpen: false, answer: { approved: true } }, PATH, 409, 'FLOW_RUN_NOT_PAUSED', 'answered already'],
      ['too late', { isOpen: false, status: 'RUNNING' }, PATH, 409, 'FLOW_RUN_NOT_PAUSED', 'no longer be answered'],
      ['of an ended run', { isOpen: false, status: 'STOPPED' }, PATH, 409, 'FLOW_RUN_NOT_PAUSED', 'ended as STOPPED'],
    ])('says that a request is %s', async (_, more, path, status, code, words) => {
      asking({ kind: 'approval' }, more);

      const page = await get(path, 'text/html');
      expect({ status: page.statusCode, type: page.headers['content-type'] }).toEqual({
        status,
        type: 'text/html; charset=utf-8',
      });
      expect(page.body).toContain(words);

      const answer = await get(path, 'application/json');
      expect(answer.json()).toMatchObject({ statusCode: status, code });
    });
  });

  describe('answered by a program', () => {
    it.each([
      [{ approved: true, comment: 'Fine.' }, '', { approved: true, comment: 'Fine.' }],
      [{ action: 'REJECT' }, '', { approved: false }],
      [undefined, '?action=approve', { approved: true }],
    ])('takes %j%s and gives the output of the step', async (body, query, output) => {
      const answer = await post(body, `${PATH}/sync${query}`);
      expect([answer.statusCode, answer.json()]).toEqual([200, output]);
      expect(waits.row.answer).toEqual(output);
    });

    it('tells the run where the output is not asked for', async () => {
      const answer = await post({ approved: true }, PATH);
      expect([answer.statusCode, answer.json()]).toEqual([200, { id: runId, status: 'RUNNING' }]);
    });

    it('gives a repetition the first answer, and refuses another', async () => {
      await post({ approved: true });
      expect((await post({ approved: true })).json()).toEqual({ approved: true });
      const other = await post({ approved: false });
      expect(other.json()).toMatchObject({
        statusCode: 409,
        code: 'FLOW_RUN_NOT_PAUSED',
        params: { flowRunId: runId, status: 'RUNNING' },
      });
      expect(waits.row.answer).toEqual({ approved: true });
    });

    it('goes on waiting after what is no answer', async () => {
      expect((await post({ approved: 'perhaps' })).json()).toMatchObject({
        statusCode: 400,
        code: 'VALIDATION',
        params: { errors: [{ path: '/approved' }] },
      });
      expect(waits.row.status).toBe('PAUSED');
      expect((await post({ approved: true })).statusCode).toBe(200);
    });

    it.each<[string, Partial<RunRequest>]>([
      ['has ended', { isOpen: false, status: 'TIMEOUT' }],
      ['went on without an answer', { isOpen: false, status: 'RUNNING' }],
      ['was answered', { isOpen: false, status: 'RUNNING', answer: { approved: true } }],
    ])('says that it comes too late when the run %s, whatever it says', async (_, more) => {
      asking({ kind: 'approval' }, more);
      for (const body of [{ approved: false }, { nonsense: 1 }])
        expect((await post(body)).json()).toMatchObject({ statusCode: 409, code: 'FLOW_RUN_NOT_PAUSED' });
    });

    it.each([
      [`/api/v1/flow-runs/${anId()}/requests/${requestId}/sync`, requestId],
      [`/api/v1/flow-runs/nope/requests/${requestId}/sync`, requestId],
      [`/api/v1/flow-runs/${runId}/requests/a%00b/sync`, 'a\0b'],
      [`/api/v1/flow-runs/${runId}/requests/none`, 'none'],
    ])('knows no request at %s', async (path, entityId) => {
      expect((await post({ approved: true }, path)).json()).toMatchObject({
        statusCode: 404,
        code: 'ENTITY_NOT_FOUND',
        params: { entityType: 'request', entityId },
      });
    });

    it('takes a whole request where that is what is waited for, without credentials', async () => {
      asking({ kind: 'webhook' });
      const headers = { 'x-source': 'shop', authorization: 'Bearer sk-secret', cookie: 'a=b' };
      const {
        body,
        queryParams,
        headers: kept,
      } = (await post([1], `${PATH}/sync?q=%00`, headers)).json() as RequestAnswer;
      expect({ body, queryParams }).toEqual({ body: [1], queryParams: { q: '\ufffd' } });
      expect(kept['x-source']).toBe('shop');
      expect(Object.keys(kept).filter((name) => ['authorization', 'cookie'].includes(name))).toEqual([]);
    });

    it('takes a request for the same when only its headers differ', async () => {
      asking({ kind: 'webhook' });
      const first = (await post({ a: 1 }, undefined, { date: 'Mon' })).json();
      expect((await post({ a: 1 }, undefined, { date: 'Tue' })).json()).toEqual(first);
      expect((await post({ a: 2 }, undefined, { date: 'Mon' })).statusCode).toBe(409);
    });

    it('takes neither other types nor bodies that are too deep', async () => {
      expect((await post('approved', undefined, { 'content-type': 'text/plain' })).statusCode).toBe(415);
      expect((await post('['.repeat(5_000) + ']'.repeat(5_000))).json()).toMatchObject({ code: 'VALIDATION' });
      expect(waits.row.status).toBe('PAUSED');
    });
  });

  describe('answered on its page', () => {
    it.each([PATH, `${PATH}/sync`])('thanks for the form sent to %s', async (path) => {
      const thanks = await postForm('action=REJECT&comment=Too+dear', path);
      expect([thanks.statusCode, thanks.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(thanks.body).toContain('Thank you');
      expect(waits.row.answer).toEqual({ approved: false, comment: 'Too dear' });
    });

    it('makes values of what a form can only write as text', async () => {
      asking({
        kind: 'form',
        fields: [
          { name: 'count', label: 'Count', type: 'number', required: true },
          { name: 'gift', label: 'Gift', type: 'boolean', required: false },
          { name: 'note', label: 'Note', type: 'text', required: false },
        ],
      });
      expect((await postForm('count=3&gift=true&note=')).statusCode).toBe(200);
      expect(waits.row.answer).toEqual({ count: 3, gift: true, note: null });
    });

    it('asks again, and says why, when something is wrong', async () => {
      asking({ kind: 'form', fields: [{ name: 'count', label: 'How many', type: 'number', required: true }] });
      const again = await postForm('count=some');
      expect([again.statusCode, again.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
      expect(again.body).toContain('How many must be a number.');
      expect(again.body).toContain('value="some"');
      expect(waits.row.status).toBe('PAUSED');
    });

    it('says in words that it came too late', async () => {
      asking({ kind: 'approval' }, { answer: { approved: true } });
      const late = await postForm('action=REJECT');
      expect(late.statusCode).toBe(409);
      expect(late.body).toContain('answered already');
    });
  });
});
