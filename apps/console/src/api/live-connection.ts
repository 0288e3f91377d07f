import type { Schemas } from './client';

// The connection over which the service says what changes (docs/live-updates.md). Its messages are no record: who hears
// that a room was entered reads what it shows, and who hears that it was left asks again from time to time.

export interface RunsSummary {
  /** The newest runs that changed, as they are now. */
  runs: readonly Schemas['FlowRun'][];
}

export interface StepState {
  runId: string;
  path: string;
  status: 'SUCCEEDED' | 'FAILED' | 'PAUSED' | 'RUNNING' | 'STOPPED';
  /** In milliseconds. */
  duration: number;
}

/** What somebody wants to hear of one room. */
export interface RoomListener {
  /** The room was entered for the first time, or again after the connection was lost. */
  entered: () => void;
  left: () => void;
  summary?: (summary: RunsSummary) => void;
  run?: (run: Schemas['FlowRun']) => void;
  step?: (step: StepState) => void;
}

interface Answer {
  error?: { code: string };
}

/** The part of a socket of socket.io that is used here. */
export interface LiveSocket {
  connected: boolean;
  /** Whether it connects again by itself. */
  active: boolean;
  on(name: string, listener: (value: never) => void): unknown;
  emitWithAck(name: 'subscribe' | 'unsubscribe', room: string): Promise<Answer>;
  connect(): unknown;
  disconnect(): unknown;
}

interface Outside {
  /** Opens a socket that is not connected yet. */
  open: () => Promise<LiveSocket>;
  /** Gets a new access token. Returns whether anybody is signed in. */
  renew: () => Promise<boolean>;
}

/** Why a socket was closed that does not connect again by itself. */
const CLOSED_BY_SERVICE = 'io server disconnect';
/** How long a client stays away that was refused. */
const REFUSED_MS = 30_000;
/** A connection that nobody needs is kept for the next page. */
const UNUSED_MS = 5_000;

/** The connection of this page for one project. It is open while somebody listens. */
export class LiveConnection {
  private readonly rooms = new Map<string, Set<RoomListener>>();
  private readonly entered = new Set<string>();
  private socket: Promise<LiveSocket> | null = null;
  private closing: ReturnType<typeof setTimeout> | undefined;
  private returning: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly outside: Outside) {}

  /** Listens to a room until the returned function is called. */
  listen(room: string, listener: RoomListener): () => void {
    const listeners = this.rooms.get(room) ?? new Set();
    this.rooms.set(room, listeners.add(listener));
    if (this.entered.has(room)) listener.entered();
    else void this.opened().then((socket) => this.enter(socket, room));
    return () => this.stop(room, listener);
  }

  private stop(room: string, listener: RoomListener): void {
    const listeners = this.rooms.get(room);
    listeners?.delete(listener);
    if (!listeners || listeners.size > 0) return;
    this.rooms.delete(room);
    if (this.entered.delete(room)) void this.opened().then((socket) => leave(socket, room));
    clearTimeout(this.closing);
    if (this.rooms.size === 0) this.closing = setTimeout(() => this.closeUnused(), UNUSED_MS);
  }

  private closeUnused(): void {
    const { socket } = this;
    if (this.rooms.size > 0 || !socket) return;
    this.socket = null;
    clearTimeout(this.returning);
    void socket.then((each) => each.disconnect());
  }

  private opened(): Promise<LiveSocket> {
    this.socket ??= this.open();
    return this.socket;
  }

  private async open(): Promise<LiveSocket> {
    const socket = await this.outside.open();
    socket.on('connect', () => [...this.rooms.keys()].forEach((room) => void this.enter(socket, room)));
    socket.on('disconnect', (reason: string) => {
      this.leaveAll();
      if (reason === CLOSED_BY_SERVICE) void this.returnWithNewToken(socket);
    });
    socket.on('connect_error', (error: { data?: { code?: string } }) => {
      if (socket.active) return;
      if (error.data?.code === 'INVALID_BEARER_TOKEN') void this.returnWithNewToken(socket);
      else this.returnLater(socket);
    });
    socket.on('flow_runs.summary', (summary: RunsSummary) => this.tell('project', (each) => each.summary?.(summary)));
    socket.on('flow_run.updated', (run: Schemas['FlowRun']) => this.tell(runRoom(run.id), (each) => each.run?.(run)));
    socket.on('flow_run.step', (step: StepState) => this.tell(runRoom(step.runId), (each) => each.step?.(step)));
    socket.connect();
    return socket;
  }

  private async enter(socket: LiveSocket, room: string): Promise<void> {
    if (!socket.connected || this.entered.has(room)) return;
    const { error } = await socket.emitWithAck('subscribe', room).catch((): Answer => ({ error: { code: 'LOST' } }));
    if (error || !socket.connected || this.entered.has(room)) return;
    if (!this.rooms.has(room)) return leave(socket, room);
    this.entered.add(room);
    this.tell(room, (each) => each.entered());
  }

  private leaveAll(): void {
    const rooms = [...this.entered];
    this.entered.clear();
    for (const room of rooms) this.tell(room, (each) => each.left());
  }

  /** The service closes a connection when its token has expired. A session that has ended stays away. */
  private async returnWithNewToken(socket: LiveSocket): Promise<void> {
    const isSignedIn = await this.outside.renew().catch(() => null);
    if (isSignedIn === null) this.returnLater(socket);
    else if (isSignedIn) socket.connect();
  }

  private tell(room: string, say: (listener: RoomListener) => void): void {
    for (const listener of this.rooms.get(room) ?? []) say(listener);
  }

  private returnLater(socket: LiveSocket): void {
    clearTimeout(this.returning);
    this.returning = setTimeout(() => socket.connect(), REFUSED_MS);
  }
}

/** Nothing depends on the answer, which a lost connection does not give. */
const leave = (socket: LiveSocket, room: string): void =>
  void socket.emitWithAck('unsubscribe', room).catch(() => undefined);

export const PROJECT_ROOM = 'project';
export const runRoom = (runId: string): string => `run:${runId}`;
