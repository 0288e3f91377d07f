import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent, get, type IncomingMessage } from 'node:http';
import { EventEmitter, once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TriggeredFlow } from '@millrace/domain';
import type { FlowStart, PackageCall } from '@millrace/pieces';
import type { ApiReads } from './api-reads';
import type { CallOfApi } from './call-of-api';
import { FlowStarts } from './flow-starts';
import { InnerApi, type ApiOfCall } from './inner-api';

const CALL: PackageCall = {
  piece: { name: '@acme/piece-notes', version: '1.0.0' },
  projectId: 'project_1',
  request: { runId: 'run_1' },
  services: {},
  signal: new AbortController().signal,
};
const SETTINGS = { SVC_PUBLIC_URL: 'https://flows.example/', SVC_HOST: '127.0.0.1', SVC_PORT: 3000 };

const flowOf = (flowId: string, more: Partial<TriggeredFlow> = {}): TriggeredFlow => ({
  ...{ flowId, projectId: 'project_1', status: 'ENABLED', publishedVersionId: 'v', triggerInput: {} },
  ...{ triggerPiece: 'subflows', ...more },
});
const FLOWS = [
  flowOf('callable'),
  flowOf('webhook', { triggerPiece: 'webhook', triggerInput: { authType: 'none' } }),
  flowOf('checked', { triggerPiece: 'webhook', triggerInput: { authType: 'hmac' } }),
  flowOf('schedule', { triggerPiece: 'schedule' }),
  flowOf('registered', { triggerPiece: '@acme/piece-notes', packageWebhook: { versionId: 'v' } }),
  flowOf('foreign', { projectId: 'project_2' }),
];

describe('our API as packages see it', () => {
  const findPublished = async (id: string) => FLOWS.find(({ flowId }) => flowId === id) ?? null;
  const reads = {
    read: async ({ pathname, search }: URL, { projectId }: CallOfApi, _left: AbortSignal) => ({
      status: 200,
      json: JSON.stringify({ pathname, search, projectId }),
    }),
  } as ApiReads;
  const starts = new FlowStarts({ findPublished });
  const api = new InnerApi(starts, reads, SETTINGS);
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const underWay = new EventEmitter();
  const started: FlowStart[] = [];

  beforeEach(() => void started.splice(0));
  afterAll(() => {
    servers.forEach((server) => server.close());
    sockets.forEach((socket) => socket.destroy());
  });

  const startFlow = async (start: FlowStart): Promise<string> => `child_${started.push(start)}`;
  /** A server on whose port connections of this call are made. */
  async function serverOf({ inside }: ApiOfCall): Promise<AddressInfo> {
    const take = (socket: Socket): void => {
      sockets.add(socket);
      inside.take(socket);
      socket.on('data', () => undefined); // the way out counts what is read
    };
    const server = createServer({ allowHalfOpen: true }, take).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return server.address() as AddressInfo;
  }
  /** Requests on connections of this call. */
  async function requests(ofCall: ApiOfCall) {
    const { port } = await serverOf(ofCall);
    return async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`, init);
      return {
        status: answer.status,
        body: await answer.json(),
        connection: answer.headers.get('connection'),
      };
    };
  }
  const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const bearer = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });

  it('has a name of its own, and its public address', () => {
    const { server, inside } = api.for(CALL);

    expect(server).toMatchObject({
      apiUrl: 'http://api.millrace.internal/api/',
      publicUrl: 'https://flows.example/api/',
    });
    expect([inside.host, inside.port]).toEqual(['api.millrace.internal', 80]);
  });

  it('starts a flow that other flows call with the body, under the run of the call', async () => {
    const request = await requests(api.for({ ...CALL, startFlow }));
    const headers = { 'ap-parent-run-id': 'run_1', 'ap-fail-parent-on-failure': 'true' };

    const answer = await request('webhooks/callable', json({ data: 1 }, headers));

    expect(answer).toEqual({ status: 200, body: { id: 'child_1' }, connection: 'close' });
    const [payload, content] = [{ data: 1 }, { data: 1 }];
    expect(started).toEqual([{ flow: 'callable', payload, content, failParentOnFailure: true }]);
  });

  it('starts a flow with a webhook as a request of its own', async () => {
    const request = await requests(api.for({ ...CALL, startFlow }));

    await request('webhooks/webhook?a=1', json({ data: 1 }, { authorization: 'Bearer x', 'x-own': 'y' }));

    const payload = { method: 'POST', body: { data: 1 }, queryParams: { a: '1' }, rawBody: '{"data":1}' };
    const content = { method: 'POST', queryParams: { a: '1' }, rawBody: '{"data":1}' };
    expect(started).toEqual([
      { flow: 'webhook', payload: expect.objectContaining(payload), content, failParentOnFailure: false },
    ]);
    expect(started[0]).toHaveProperty('payload.headers.x-own', 'y');
    expect(started[0]).not.toHaveProperty('payload.headers.authorization');
  });

  it.each([
    ['of another project', 'foreign', {}, 404, 'ENTITY_NOT_FOUND'],
    ['that nobody has', 'none', {}, 404, 'ENTITY_NOT_FOUND'],
    ['that starts otherwise', 'schedule', {}, 404, 'ENTITY_NOT_FOUND'],
    ['that another service starts', 'registered', {}, 404, 'ENTITY_NOT_FOUND'],
    ['whose webhooks are signed', 'checked', {}, 401, 'INVALID_WEBHOOK_SIGNATURE'],
    ['for another parent', 'callable', { 'svc-parent-run-id': 'run_2' }, 400, 'VALIDATION'],
  ])('starts no flow %s', async (_what, flow, headers, status, code) => {
    const request = await requests(api.for({ ...CALL, startFlow }));

    expect(await request(`webhooks/${flow}`, json({}, headers))).toMatchObject({ status, body: { code } });
    expect(started).toEqual([]);
  });

  it('starts no flow for a call that has no run', async () => {
    const request = await requests(api.for(CALL));

    expect(await request('webhooks/callable', json({}))).toMatchObject({ status: 404 });
  });

  it('takes no body that is no JSON, or too large', async () => {
    const request = await requests(api.for({ ...CALL, startFlow }));
    const headers = { 'content-type': 'application/json' };

    const broken = await request('webhooks/callable', { method: 'POST', headers, body: '{' });
    const deep = '['.repeat(200) + ']'.repeat(200);
    const nested = await request('webhooks/callable', { method: 'POST', headers, body: deep });
    const large = await request('webhooks/callable', { method: 'POST', body: 'x'.repeat(11 * 1024 * 1024) }).catch(
      () => ({ status: 'closed' }),
    );

    const many = await request('webhooks/callable', json(Array.from({ length: 300_000 }, () => ({}))));

    expect([broken.status, nested.status, many.status]).toEqual([400, 400, 400]);
    expect(many).toMatchObject({ body: { params: { errors: [{ message: 'has more than 300,000 values.' }] } } });
    expect([413, 'closed']).toContain(large.status);
    expect(started).toEqual([]);
  });

  it.each(['http://other/api/v1/flows', 'http://['])('has nothing at the address %s', async (path) => {
    const own = api.for(CALL);
    const { port } = await serverOf(own);
    const headers = { authorization: `Bearer ${own.server.token}` };
    const sent = get({ host: '127.0.0.1', port, path, headers, agent: false });
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();

    expect(answer.statusCode).toBe(404);
  });

  it('knows a token on the connections of its call alone', async () => {
    const own = api.for(CALL);
    const other = await requests(api.for(CALL));
    const request = await requests(own);

    expect(await request('flows?a=1', bearer(own.server.token))).toMatchObject({
      status: 200,
      body: { pathname: '/api/v1/flows', search: '?a=1', projectId: CALL.projectId },
    });
    expect(await request('flows', { method: 'POST', ...bearer(own.server.token) })).toMatchObject({ status: 404 });
    expect(await request('anything')).toMatchObject({ status: 401, body: { code: 'AUTHENTICATION' } });
    expect(await other('anything', bearer(own.server.token))).toMatchObject({ status: 401 });
  });

  it('answers the requests of a call one after the other, and makes no other call wait', async () => {
    const own = await requests(api.for({ ...CALL, startFlow }));
    const other = await requests(api.for({ ...CALL, startFlow }));
    const never = new ReadableStream({ start: (body) => body.enqueue(Buffer.from('{')) });
    const left = new AbortController();
    const begun = once(underWay, 'reading');
    const start = starts.start.bind(starts);
    jest.spyOn(starts, 'start').mockImplementation((...given) => (underWay.emit('reading'), start(...given)));

    const first = own('webhooks/callable', { method: 'POST', body: never, duplex: 'half', signal: left.signal });
    await begun;
    const second = own('webhooks/callable', json({ data: 2 }));
    expect(await other('webhooks/callable', json({ data: 3 }))).toMatchObject({ status: 200 });
    expect(started.map(({ payload }) => payload)).toEqual([{ data: 3 }]);
    left.abort();

    await expect(first).rejects.toThrow();
    expect(await second).toMatchObject({ status: 200 });
    expect(started.map(({ payload }) => payload)).toEqual([{ data: 3 }, { data: 2 }]);
  });

  it('takes sequential requests of a client that keeps its connections', async () => {
    const own = api.for({ ...CALL, startFlow });
    const { port } = await serverOf(own);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = async (n: number): Promise<[number | undefined, string]> => {
      const { authorization } = bearer(own.server.token).headers as Record<string, string>;
      const sent = get({ host: '127.0.0.1', port, path: `/api/v1/flows?n=${n}`, headers: { authorization }, agent });
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      const parts = await answer.setEncoding('utf8').toArray();
      return [answer.statusCode, (JSON.parse(parts.join('')) as { search: string }).search];
    };

    expect(await Promise.all([1, 2, 3].map(ask))).toEqual([1, 2, 3].map((n) => [200, `?n=${n}`]));
  });

  describe('in calls that ask for more than they may', () => {
    const begun = new EventEmitter();
    let count = 0;
    const onRequest = (): void => void begun.emit('request', ++count);
    beforeEach(() => {
      count = 0;
      subscribe('http.server.request.start', onRequest);
    });
    afterEach(() => void unsubscribe('http.server.request.start', onRequest));

    const connected = async (port: number): Promise<Socket> => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    /** A connection on which this was sent that begins a request. */
    async function asking(port: number, text: string): Promise<Socket> {
      const socket = await connected(port);
      const request = once(begun, 'request');
      socket.write(text);
      await request;
      return socket;
    }
    const closed = (socket: Socket) => new Promise((done) => socket.resume().once('close', done));
    const GET = 'GET / HTTP/1.1\r\nHost:a\r\n\r\n';
    /** Takes the turn of its call, and keeps it. */
    const UNFINISHED = 'POST /api/v1/webhooks/callable HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{';

    it.each([
      ['requests', GET],
      ['requests that name no host', 'GET / HTTP/1.1\r\n\r\n'],
      ['requests of old', 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'],
      ['requests that expect something', 'GET / HTTP/1.1\r\nHost:a\r\nExpect:b\r\n\r\n'],
    ])('takes one of many %s on a connection, and ends it', async (_what, request) => {
      const { port } = await serverOf(api.for({ ...CALL, startFlow }));
      await asking(port, UNFINISHED);

      const flood = await connected(port);
      flood.write(request.repeat(100_000));
      await closed(flood);

      expect(count).toBeLessThan(300);
    });

    it('lets few requests wait for their turn, also those of clients that have left', async () => {
      const { port } = await serverOf(api.for({ ...CALL, startFlow }));
      await asking(port, UNFINISHED);

      for (let n = 1; n < 50; n++) (await asking(port, GET)).destroy();
      const [answer] = (await once(await asking(port, GET), 'data')) as [Buffer];

      expect(answer.toString()).toMatch(/^HTTP\/1.1 429 /);
    });

    it('reads nothing for a client that left while it waited, and stops when one leaves', async () => {
      const own = api.for({ ...CALL, startFlow });
      const { port } = await serverOf(own);
      const request = `GET / HTTP/1.1\r\nHost:a\r\nAuthorization: Bearer ${own.server.token}\r\n\r\n`;
      const reading = new EventEmitter();
      const read = jest.spyOn(reads, 'read').mockImplementation(async (_url, _call, left) => {
        reading.emit('begun');
        await once(left, 'abort');
        throw left.reason;
      });
      const first = await asking(port, UNFINISHED);
      const second = await asking(port, request);
      const secondLeft = once([...sockets].at(-1) as Socket, 'close');
      const third = await asking(port, request);
      second.destroy();
      await secondLeft;

      const begun = once(reading, 'begun');
      first.destroy();
      await begun;
      third.destroy();
      const last = await asking(port, GET);
      await once(last, 'data');

      expect(read).toHaveBeenCalledTimes(1);
      read.mockRestore();
    });

    it('has one answer in memory, until the package has read it', async () => {
      const own = api.for(CALL);
      const { port } = await serverOf(own);
      const read = jest.spyOn(reads, 'read').mockResolvedValue({ status: 200, json: 'x'.repeat(30 * 1024 * 1024) });
      const request = `GET / HTTP/1.1\r\nHost:a\r\nAuthorization: Bearer ${own.server.token}\r\n\r\n`;

      const first = await asking(port, request);
      await once(first, 'readable');
      const second = await asking(port, request);
      await nextTurn();
      expect(read).toHaveBeenCalledTimes(1);

      await closed(first);
      await once(second, 'readable');
      expect(read).toHaveBeenCalledTimes(2);
      read.mockRestore();
    });
  });
});
