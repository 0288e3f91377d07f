import { aPrincipal } from '@millrace/domain/testing';
import { EventEmitter } from 'node:events';
import type { LiveAccess } from './live-access';
import { LIVE_LIMITS } from './live-limits';
import type { LiveSocket, LiveSocketServer } from './live-messages';
import type { ProjectRooms } from './project-rooms';
import type { QueueRoom } from './queue-room';
import type { RunRooms } from './run-rooms';
import { Subscriptions } from './subscriptions';

const principal = aPrincipal('VIEWER', { userId: 'ann' });

/** The rooms of a server, as socket.io keeps them. */
class Rooms extends EventEmitter {
  private readonly sockets = new Map<string, Set<object>>();

  join(key: string, socket: object): void {
    const inside = this.sockets.get(key) ?? new Set();
    if (!this.sockets.has(key)) this.emit('create-room', key);
    this.sockets.set(key, inside.add(socket));
  }

  leave(key: string, socket: object): void {
    const inside = this.sockets.get(key);
    inside?.delete(socket);
    if (inside?.size === 0 && this.sockets.delete(key)) this.emit('delete-room', key);
  }
}

function setUp(limits: Partial<typeof LIVE_LIMITS>) {
  const adapter = new Rooms();
  const runs = {
    keyOf: (name: string) => name,
    owns: () => true,
    admit: () => Promise.resolve(),
    opened: () => undefined,
    closed: () => undefined,
    entered: () => Promise.resolve(() => ({})),
  };
  const none = { keyOf: () => null, owns: () => false };
  const subscriptions = new Subscriptions(
    { check: () => Promise.resolve() } as unknown as LiveAccess,
    runs as unknown as RunRooms,
    none as unknown as ProjectRooms,
    none as unknown as QueueRoom,
    { ...LIVE_LIMITS, ...limits },
  );
  subscriptions.open({ of: () => ({ adapter }) } as unknown as LiveSocketServer);
  const aSocket = (projectId: string): LiveSocket & { disconnected: boolean } => {
    const rooms = new Set(['itself']);
    const socket = {
      rooms,
      disconnected: false,
      data: { session: { projectId, principal, token: '' } },
      join: (key: string) => adapter.join(key, rooms.add(key)),
      leave: (key: string) => void (rooms.delete(key) && adapter.leave(key, rooms)),
    };
    return socket as unknown as LiveSocket & { disconnected: boolean };
  };
  return { subscriptions, aSocket };
}

describe('Subscriptions', () => {
  it('let a project watch as many rooms as are free, and leave some for others', async () => {
    const { subscriptions, aSocket } = setUp({ watched: 4 });
    const [first, second, other] = [aSocket('greedy'), aSocket('greedy'), aSocket('other')];
    for (const room of ['run:1', 'run:2']) await subscriptions.enter(first, room);

    await expect(subscriptions.enter(second, 'run:3')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await subscriptions.enter(second, 'run:1'); // costs nothing more
    await subscriptions.enter(other, 'run:4');

    await subscriptions.leave(first, 'run:1');
    await expect(subscriptions.enter(second, 'run:3')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await subscriptions.leave(second, 'run:1');
    await subscriptions.enter(second, 'run:3');
  });

  it('count no room of a client that has gone meanwhile', async () => {
    const { subscriptions, aSocket } = setUp({ watched: 2 });
    const gone = aSocket('p');
    gone.disconnected = true;

    await subscriptions.enter(gone, 'run:1');

    await subscriptions.enter(aSocket('p'), 'run:2');
  });
});
