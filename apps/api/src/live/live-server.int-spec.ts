import {
  type DomainError,
  FlowRunRepository,
  LiveFeed,
  QueueAdministration,
  RunNotices,
  type FlowRun,
} from '@millrace/domain';
import { aPrincipal } from '@millrace/domain/testing';
import { createHttpApp, type HttpSettings } from '@millrace/http';
import { Logger, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { once } from 'node:events';
import { createConnection, type AddressInfo } from 'node:net';
import { io, type ManagerOptions, type Socket } from 'socket.io-client';
import { LiveAccess, type LiveSession } from './live-access';
import { LiveConnections } from './live-connections';
import { serveLiveUpdates, type LiveSettings } from './live-endpoint';
import { LIVE_LIMITS } from './live-limits';
import { LiveOutput } from './live-output';
import { LiveServer } from './live-server';
import { ProjectRooms } from './project-rooms';
import { QueueRoom } from './queue-room';
import { RunRooms } from './run-rooms';
import { Subscriptions } from './subscriptions';

// The server of live updates with real clients, and without a database.

const settings: HttpSettings & LiveSettings = {
  SVC_HOST: '127.0.0.1',
  SVC_PORT: 0,
  SVC_PUBLIC_URL: 'https://flows.example',
  SVC_API_CORS_ORIGINS: ['https://app.example'],
  SVC_TRUSTED_PROXIES: ['loopback'],
  SVC_LOG_LEVEL: 'silent',
};

/** Lets everybody in. The token names a user who may use the one project that the client names. */
class OpenAccess {
  open(auth: unknown): Promise<LiveSession> {
    const { token, projectId } = auth as { token: string; projectId: string };
    const principal = aPrincipal({ [projectId]: 'VIEWER' }, { userId: token });
    return Promise.resolve({ token, projectId, principal });
  }

  check = (): Promise<void> => Promise.resolve();
  checkAll = (): Promise<Map<LiveSession, DomainError>> => Promise.resolve(new Map());
}

const runs = {
  get: jest.fn((id: string) => Promise.resolve({ id } as FlowRun)),
  findAll: jest.fn((ids: readonly string[]) =>
    Promise.resolve(ids.map((id) => ({ id, status: 'RUNNING' }) as FlowRun)),
  ),
};

const feed = { watch: () => Promise.resolve(), unwatch: () => undefined, listen: () => undefined };

@Module({
  providers: [
    { provide: LiveAccess, useClass: OpenAccess },
    { provide: FlowRunRepository, useValue: runs },
    { provide: LiveFeed, useValue: feed },
    { provide: RunNotices, useValue: { listen: () => undefined } },
    { provide: QueueAdministration, useValue: {} },
    ...[LiveConnections, LiveOutput, LiveServer, ProjectRooms, QueueRoom, RunRooms, Subscriptions],
  ],
})
class LiveUnderTest {}

/** A promise that the test resolves or rejects. */
function later<Value>() {
  let [resolve, reject]: [(value: Value) => void, (error: Error) => void] = [() => undefined, () => undefined];
  const promise = new Promise<Value>((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
}

/** How the frame of WebSocket begins by which the server asks a client to close. */
const CLOSE_FRAME = '\x88';

describe('LiveServer', () => {
  let app: NestFastifyApplication;
  let url: string;
  const open: Socket[] = [];

  const start = async () => {
    app = await createHttpApp(LiveUnderTest, settings, { name: 'live' });
    serveLiveUpdates(app, settings);
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  };

  beforeAll(start);
  afterEach(() => {
    for (const socket of open.splice(0)) socket.close();
  });
  afterAll(() => app.close());

  const connect = (options: Partial<ManagerOptions> = {}): Promise<Socket> => {
    const auth = { token: 'ann', projectId: 'p' };
    const socket = io(url, {
      path: '/api/socket.io',
      transports: ['websocket'],
      reconnection: false,
      auth,
      ...options,
    });
    open.push(socket);
    return new Promise((resolve, reject) => {
      socket.once('connect', () => resolve(socket));
      socket.once('connect_error', reject);
    });
  };
  /** Resolves with the answer once the server has the message. */
  const subscribe = async (socket: Socket, room: string): Promise<{ answer: Promise<unknown> }> => {
    const asked = new Promise<void>((resolve) =>
      runs.get.mockImplementationOnce((id) => {
        resolve();
        return reading.promise.then(() => ({ id }) as FlowRun);
      }),
    );
    const answer: Promise<unknown> = socket.emitWithAck('subscribe', room);
    await asked;
    return { answer };
  };
  let reading = later<void>();
  beforeEach(() => (reading = later<void>()));

  it.each([
    ['subscribe', []],
    ['subscribe', [null]],
    ['subscribe', [{ room: 'project' }, 'more']],
    ['unsubscribe', []],
    ['publish', []],
  ])('answers the message %s with %j by an error', async (message, args) => {
    const socket = await connect();

    const answer: unknown = await socket.emitWithAck(message, ...args);

    expect(answer).toMatchObject({ error: { statusCode: 400, code: 'VALIDATION' } });
  });

  it('acknowledges a room with its state', async () => {
    const socket = await connect();

    expect(await socket.emitWithAck('subscribe', 'run:1')).toEqual({
      room: 'run:1',
      run: { id: '1', status: 'RUNNING' },
    });
  });

  describe('when the service stops', () => {
    const message = 'The service stops here; connect again.';
    const stopping = { statusCode: 503, code: 'SERVICE_UNAVAILABLE', params: { message } };
    afterEach(async () => {
      await app.close();
      await start();
    });

    it('answers what is under way, says why and lets the client connect again', async () => {
      const socket = await connect();
      const [closed, left] = [later<unknown>(), later<string>()];
      socket.once('closed', closed.resolve);
      socket.once('disconnect', left.resolve);
      const { answer } = await subscribe(socket, 'run:1');

      const stopped = app.get(LiveServer).close();
      const late: unknown = await socket.emitWithAck('subscribe', 'run:2');
      reading.resolve();

      expect(await answer).toMatchObject({ room: 'run:1' });
      expect(late).toEqual({ error: stopping });
      expect(await closed.promise).toEqual(stopping);
      expect(await left.promise).toBe('transport close'); // after "io server disconnect" a client stays away
      await stopped;
    });

    it('logs no error of what it cannot finish any more', async () => {
      const logged = jest.spyOn(Logger.prototype, 'error');
      const socket = await connect();
      const { answer } = await subscribe(socket, 'run:1');

      const stopped = app.get(LiveServer).close();
      reading.reject(new Error('Cannot use a pool after calling end on the pool'));

      expect(await answer).toEqual({ error: stopping });
      await stopped;
      expect(logged).not.toHaveBeenCalled();
      logged.mockRestore();
    });
  });

  it('says that the database is away, and logs no bug', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error');
    const socket = await connect();
    const { answer } = await subscribe(socket, 'run:1');

    reading.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));

    expect(await answer).toMatchObject({ error: { statusCode: 503, code: 'SERVICE_UNAVAILABLE' } });
    expect(logged).not.toHaveBeenCalled();
    logged.mockRestore();
  });

  describe.each(['websocket', 'polling'] as const)('over %s', (transport) => {
    const from = (origin: string) => connect({ transports: [transport], extraHeaders: { origin } });

    it('lets pages of its own and of listed origins connect', async () => {
      for (const origin of ['https://flows.example', 'https://app.example'])
        expect((await from(origin)).connected).toBe(true);
    });

    it('lets no page of another origin connect, whatever its token', async () => {
      await expect(from('https://evil.example')).rejects.toMatchObject({ type: 'TransportError' });
    });
  });

  it('tells a refused page why', async () => {
    const refused = await fetch(`${url}/api/socket.io/?EIO=4&transport=polling`, {
      headers: { origin: 'https://evil.example' },
    });

    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  describe('a client that does not sign in', () => {
    beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] }));
    afterEach(() => jest.useRealTimers());

    /** A client that speaks WebSocket only so far that it is connected. It answers nothing, not even a goodbye. */
    const silentClient = async (address: string, { query = '', until = '"sid"' } = {}) => {
      const socket = createConnection({ port: Number(new URL(url).port), host: '127.0.0.1' });
      const closed = once(socket, 'close');
      const opened = new Promise<void>((resolve) =>
        socket.on('data', (received: Buffer) => received.includes(until, 0, 'latin1') && resolve()),
      );
      socket.write(
        [
          `GET /api/socket.io/?EIO=4&transport=websocket${query} HTTP/1.1`,
          'Host: flows.example',
          'Connection: Upgrade',
          'Upgrade: websocket',
          'Sec-WebSocket-Version: 13',
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
          `X-Forwarded-For: ${address}`,
          '\r\n',
        ].join('\r\n'),
      );
      await opened;
      return { closed };
    };
    const polling = (query = '', address = '203.0.113.20') =>
      fetch(`${url}/api/socket.io/?EIO=4&transport=polling${query}`, { headers: { 'x-forwarded-for': address } });

    it('is cut off after 5 seconds, though it never closes, and counts until then', async () => {
      const most = LIVE_LIMITS.signingIn / 2;
      const silent = await Promise.all(Array.from({ length: most }, () => silentClient('203.0.113.20')));
      expect((await polling()).status).toBe(429);

      jest.advanceTimersByTime(4_999);
      expect((await polling()).status).toBe(429);

      jest.advanceTimersByTime(1);
      await Promise.all(silent.map(({ closed }) => closed));
      expect((await polling()).status).toBe(200);
    });

    it('is unknown after 5 seconds over polling too', async () => {
      const { sid } = JSON.parse((await (await polling()).text()).slice(1)) as { sid: string };

      jest.advanceTimersByTime(5_000);

      const answer = await polling(`&sid=${sid}`);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ params: { errors: [{ path: '/sid' }] } });
    });

    it('is cut off when it does not answer the goodbye to a WebSocket too many', async () => {
      const { sid } = JSON.parse((await (await polling()).text()).slice(1)) as { sid: string };
      await silentClient('203.0.113.20', { query: `&sid=${sid}`, until: 'Switching' });

      const { closed } = await silentClient('203.0.113.20', { query: `&sid=${sid}`, until: CLOSE_FRAME });
      jest.advanceTimersByTime(1_000);

      await closed;
    });

    it('stays when it has signed in', async () => {
      const socket = await connect();

      jest.advanceTimersByTime(12_000);

      expect(await socket.emitWithAck('subscribe', 'run:1')).toMatchObject({ room: 'run:1' });
    });
  });

  it('keeps room for others when one network opens connections and does not sign in', async () => {
    const knock = (address: string) =>
      fetch(`${url}/api/socket.io/?EIO=4&transport=polling`, { headers: { 'x-forwarded-for': address } });
    const { signingIn } = LIVE_LIMITS;

    for (let i = 0; i < signingIn / 2; i++) await knock('203.0.113.9');
    const [refused, other] = [await knock('203.0.113.9'), await knock('203.0.113.10')];

    expect([refused.status, other.status]).toEqual([429, 200]);
    expect(await refused.json()).toMatchObject({ code: 'RATE_LIMITED' });
    await (await connect()).emitWithAck('subscribe', 'project');
  });
});
