import { InvalidRequestError, ServiceUnavailableError } from '@millrace/domain';
import { Injectable, Optional } from '@nestjs/common';
import { FairBound } from './fair-bound';
import { LiveAccess } from './live-access';
import { LIVE_LIMITS, tooManyOfProject, type LiveLimits } from './live-limits';
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
  private readonly byProject: FairBound;
  /** Gives back the room of a project, by the key of the room. */
  private readonly taken = new Map<string, () => void>();

  constructor(
    private readonly access: LiveAccess,
    runs: RunRooms,
    projects: ProjectRooms,
    queue: QueueRoom,
    @Optional() private readonly limits: LiveLimits = LIVE_LIMITS,
  ) {
    this.kinds = [runs, projects, queue];
    this.byProject = new FairBound(limits.watched);
  }

  /** Tells the rooms when their first client enters and their last one leaves, also one that is disconnected. */
  open(server: LiveSocketServer): void {
    const { adapter } = server.of('/');
    adapter.on('create-room', (key: string) => this.kinds.find((kind) => kind.owns(key))?.opened(key));
    adapter.on('delete-room', (key: string) => {
      this.kinds.find((kind) => kind.owns(key))?.closed(key);
      this.taken.get(key)?.();
      this.taken.delete(key);
    });
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
    if (socket.disconnected) return () => ({ room });
    this.takeRoom(socket, key);
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

  /** A room that others of the project are in costs nothing more. */
  private takeRoom(socket: LiveSocket, key: string): void {
    if (socket.rooms.has(key)) return;
    const { roomsPerConnection } = this.limits;
    // Each client is in a room of its own.
    if (socket.rooms.size > roomsPerConnection)
      throw refusal(`is one more than the ${roomsPerConnection} of a client.`);
    if (this.taken.has(key)) return;
    const { projectId } = socket.data.session;
    if (!this.byProject.hasRoomFor(projectId)) throw tooManyOfProject(this.byProject.of(projectId), 'watched rooms');
    this.taken.set(key, this.byProject.take(projectId));
  }
}

const refusal = (message: string): InvalidRequestError => new InvalidRequestError([{ path: '/room', message }]);
