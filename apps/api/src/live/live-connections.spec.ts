import { InvalidApiKeyError, ServiceUnavailableError, type DomainError } from '@millrace/domain';
import { aPrincipal } from '@millrace/domain/testing';
import { EventEmitter } from 'node:events';
import type { LiveAccess, LiveSession } from './live-access';
import { LiveConnections } from './live-connections';
import { LIVE_LIMITS } from './live-limits';
import type { LiveSocket } from './live-messages';

const principal = aPrincipal({ p: 'VIEWER' }, { userId: 'ann' });

class FakeSocket extends EventEmitter {
  readonly sent: unknown[] = [];
  readonly conn = {
    writeBuffer: [] as unknown[],
    transport: { name: 'websocket', socket: { terminate: jest.fn() } },
    close: jest.fn(),
  };
  readonly data: { session: LiveSession };

  constructor(token = 'token', projectId = 'p') {
    super();
    this.data = { session: { token, projectId, principal } };
  }

  override emit(name: string, ...args: unknown[]): boolean {
    this.sent.push([name, ...args]);
    return true;
  }

  disconnect = jest.fn(() => super.emit('disconnect'));
}

const asLive = (socket: FakeSocket): LiveSocket => socket as unknown as LiveSocket;

describe('LiveConnections', () => {
  const checkAll = jest.fn((_sessions: readonly LiveSession[]) => Promise.resolve(new Map<LiveSession, DomainError>()));
  let connections: LiveConnections;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    checkAll.mockReset().mockResolvedValue(new Map());
    connections = new LiveConnections({ checkAll } as unknown as LiveAccess, { ...LIVE_LIMITS, checkEveryMs: 0 });
  });
  afterEach(() => {
    connections.onApplicationShutdown();
    jest.useRealTimers();
  });

  const connected = (token?: string): FakeSocket => {
    const socket = new FakeSocket(token);
    connections.add(asLive(socket));
    return socket;
  };

  it('drop a client that has read nothing for ten seconds', () => {
    const [stuck, reading] = [connected(), connected()];
    stuck.conn.writeBuffer.push('message');

    for (let s = 0; s < 12; s++) {
      reading.conn.writeBuffer.push('message');
      jest.advanceTimersByTime(500);
      reading.conn.writeBuffer.length = 0;
      jest.advanceTimersByTime(500);
    }

    expect(stuck.conn.close).toHaveBeenCalledWith(true);
    expect(stuck.conn.transport.socket.terminate).toHaveBeenCalled();
    expect(reading.conn.close).not.toHaveBeenCalled();
  });

  it('drop a client that has too many messages to read', () => {
    const slow = connected();
    slow.conn.writeBuffer = Array.from({ length: LIVE_LIMITS.unreadMessages + 1 });

    jest.advanceTimersByTime(1_000);

    expect(slow.conn.close).toHaveBeenCalledWith(true);
  });

  it('cut off the clients of a credential that no longer holds, and no others', async () => {
    checkAll.mockImplementation((sessions) => {
      const revoked = sessions.filter(({ token }) => token === 'revoked');
      return Promise.resolve(new Map(revoked.map((session) => [session, new InvalidApiKeyError()])));
    });
    const [first, second, other] = [connected('revoked'), connected('revoked'), connected('good')];

    while (second.disconnect.mock.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));

    for (const cut of [first, second])
      expect(cut.sent).toEqual([['closed', expect.objectContaining({ code: 'INVALID_API_KEY' })]]);
    expect(other.disconnect).not.toHaveBeenCalled();
  });

  it.each([
    ['as the driver says', new Error('The database is away.')],
    ['as a repository says', new ServiceUnavailableError('The database is away.')],
  ])('leave clients connected while nothing can be checked, %s', async (_what, error) => {
    checkAll.mockRejectedValue(error);
    const socket = connected();

    while (checkAll.mock.calls.length < 3) await new Promise((resolve) => setImmediate(resolve));

    expect(socket.disconnect).not.toHaveBeenCalled();
  });

  it('check a thousand credentials by a few calls', async () => {
    for (let n = 0; n < 1_000; n++) connected(`token ${n}`);
    const seen = () => checkAll.mock.calls.flatMap(([sessions]) => sessions.map(({ token }) => token));

    while (!seen().includes('token 999')) await new Promise((resolve) => setImmediate(resolve));

    const round = seen().slice(0, 1_000);
    expect(new Set(round).size).toBe(1_000);
    expect(
      checkAll.mock.calls.findIndex(([sessions]) => sessions.some(({ token }) => token === 'token 999')),
    ).toBeLessThan(5);
  });

  it('let a principal have so many connections and no more', () => {
    const { session } = new FakeSocket().data;
    for (let i = 0; i < LIVE_LIMITS.connectionsPerPrincipal; i++) connected();

    expect(() => connections.assertRoomFor(session)).toThrow('50 live connections');
    const others = { ...session, principal: { ...principal, userId: 'bob' } };
    expect(() => connections.assertRoomFor(others)).not.toThrow();
  });

  it('let a project have as many connections as are free, and always leave some for others', () => {
    connections.onApplicationShutdown();
    const limits = { ...LIVE_LIMITS, connections: 4, checkEveryMs: 0 };
    connections = new LiveConnections({ checkAll } as unknown as LiveAccess, limits);
    const [first] = [connected(), connected()];

    const { session } = new FakeSocket().data;
    expect(() => connections.assertRoomFor(session)).toThrow('The project has 2 live connections');
    expect(() => connections.assertRoomFor({ ...session, projectId: 'other' })).not.toThrow();

    first.disconnect();
    expect(() => connections.assertRoomFor(session)).not.toThrow();
  });
});
