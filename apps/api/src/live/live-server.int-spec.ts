import {
  FlowRunRepository,
  LiveFeed,
  QueueMetrics,
  RunNotices,
  type FlowRun,
  type LiveChanges,
  type Principal,
} from '@millrace/domain';
import { createHttpApp, type HttpSettings } from '@millrace/http';
import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AddressInfo } from 'node:net';
import { io, type Socket } from 'socket.io-client';
import { LiveAccess, type LiveSession } from './live-access';
import { LiveConnections } from './live-connections';
import { serveLiveUpdates } from './live-endpoint';
import { LiveOutput } from './live-output';
import { LiveServer } from './live-server';
import { ProjectRooms } from './project-rooms';
import { QueueRoom } from './queue-room';
import { RunRooms } from './run-rooms';
import { Subscriptions } from './subscriptions';

// The server of live updates with real clients, and without a database.

const settings: HttpSettings = {
  SVC_HOST: '127.0.0.1',
  SVC_PORT: 0,
  SVC_PUBLIC_URL: undefined,
  SVC_TRUSTED_PROXIES: ['loopback'],
  SVC_LOG_LEVEL: 'silent',
};

/** Lets everybody in. The token names a user who may use the one project that the client names. */
class OpenAccess {
  open(auth: unknown): Promise<LiveSession> {
    const { token, projectId } = auth as { token: string; projectId: string };
    const principal: Principal = { kind: 'user', userId: token, platformAdmin: false, projectIds: [projectId] };
    return Promise.resolve({ token, projectId, principal });
  }

  check = (): Promise<void> => Promise.resolve();
}

const runs = {
  get: jest.fn((id: string) => Promise.resolve({ id } as FlowRun)),
  findAll: jest.fn((ids: readonly string[]) =>
    Promise.resolve(ids.map((id) => ({ id, status: 'RUNNING' }) as FlowRun)),
  ),
};

let publish: (changes: LiveChanges | null) => void = () => undefined;
const feed = {
  watch: () => Promise.resolve(),
  unwatch: () => undefined,
  listen: (listener: typeof publish) => (publish = listener),
};

@Module({
  providers: [
    { provide: LiveAccess, useClass: OpenAccess },
    { provide: FlowRunRepository, useValue: runs },
    { provide: LiveFeed, useValue: feed },
    { provide: RunNotices, useValue: { listen: () => undefined } },
    { provide: QueueMetrics, useValue: {} },
    ...[LiveConnections, LiveOutput, LiveServer, ProjectRooms, QueueRoom, RunRooms, Subscriptions],
  ],
})
class LiveUnderTest {}

describe('LiveServer', () => {
  let app: NestFastifyApplication;
  let url: string;
  const open: Socket[] = [];

  beforeAll(async () => {
    app = await createHttpApp(LiveUnderTest, settings, { name: 'live' });
    serveLiveUpdates(app);
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.close();
  });
  afterAll(() => app.close());

  const connect = (): Promise<Socket> => {
    const auth = { token: 'ann', projectId: 'p' };
    const socket = io(url, { path: '/api/socket.io', transports: ['websocket'], reconnection: false, auth });
    open.push(socket);
    return new Promise((resolve, reject) => {
      socket.once('connect', () => resolve(socket));
      socket.once('connect_error', reject);
    });
  };

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
});
