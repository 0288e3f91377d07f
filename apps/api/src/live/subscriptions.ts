import { InvalidRequestError, ServiceUnavailableError } from '@millrace/domain';
import { Injectable, Optional } from '@nestjs/common';
import { LiveAccess } from './live-access';
import { LIVE_LIMITS, type LiveLimits } from './live-limits';
import type { LiveSocket, LiveSocketServer, Subscribed } from './live-messages';
import { ProjectRooms } from './project-rooms';
import { QueueRoom } from './queue-room';
import type { RoomKind } from './room-kind';
import { RunRooms } from './run-rooms';

const LONGEST_NAME = 100;

/** Lets clients into rooms and out of them. Before a client enters, its credentials and project are checked again. */
@Injectable()
export class Subscriptions {
  private readonly kinds: readonly RoomKind[];

  constructor(
    private readonly access: LiveAccess,
    private readonly runs: RunRooms,
    private readonly projects: ProjectRooms,
    queue: QueueRoom,
    @Optional() private readonly limits: LiveLimits = LIVE_LIMITS,
  ) {
    this.kinds = [runs, projects, queue];
  }

  /** Tells the rooms when their first client enters and their last one leaves, also one that is disconnected. */
  open(server: LiveSocketServer): void {
    const { adapter } = server.of('/');
    adapter.on('create-room', (key: string) => this.kinds.find((kind) => kind.owns(key))?.opened(key));
    adapter.on('delete-room', (key: string) => this.kinds.find((kind) => kind.owns(key))?.closed(key));
  }

  /**
   * Throws what a request for the same data would get. A run of another project is an unknown run. The function returns
   * the answer; it is called when the client is told.
   */
  async enter(socket: LiveSocket, name: unknown): Promise<() => Subscribed> {
    const { session } = socket.data;
    const { room, kind, key } = this.roomOf(socket, name);
    await this.access.check(session);
    await kind.admit(key, session);
    this.assertRoom(socket, key);
    await socket.join(key);
    try {
      const state = await kind.entered(key);
      return () => ({ room, ...state() });
    } catch (cause) {
      await socket.leave(key);
      throw new ServiceUnavailableError('Changes cannot be watched now; try again later.', 2, { cause });
    }
  }

  async leave(socket: LiveSocket, name: unknown): Promise<() => Subscribed> {
    const { room, key } = this.roomOf(socket, name);
    await socket.leave(key);
    return () => ({ room });
  }

  private roomOf(socket: LiveSocket, name: unknown): { room: string; kind: RoomKind; key: string } {
    if (typeof name === 'string' && name.length <= LONGEST_NAME)
      for (const kind of this.kinds) {
        const key = kind.keyOf(name, socket.data.session);
        if (key !== null) return { room: name, kind, key };
      }
    throw refusal('must be "run:<id>", "project" or "queue.metrics".');
  }

  private assertRoom(socket: LiveSocket, key: string): void {
    if (socket.rooms.has(key)) return;
    // Each client is in a room of its own.
    const { roomsPerConnection, watched } = this.limits;
    if (socket.rooms.size > roomsPerConnection)
      throw refusal(`is one more than the ${roomsPerConnection} of a client.`);
    if (this.runs.count + this.projects.count >= watched)
      throw new ServiceUnavailableError('Too many runs are watched now; try again later.', 5);
  }
}

const refusal = (message: string): InvalidRequestError => new InvalidRequestError([{ path: '/room', message }]);
