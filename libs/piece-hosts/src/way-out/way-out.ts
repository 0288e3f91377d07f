import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { chmod } from 'node:fs/promises';
import { connect, createServer, Socket, type Server } from 'node:net';
import { join } from 'node:path';
import { bytesOfPiece } from './bytes-of-piece';
import { Places } from './places';

/** Where a connection goes: an address that was judged, and its port. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/**
 * Judges a host and port, and returns the addresses to try. Rejects with the reason for which none may be called. The
 * signal aborts when nobody waits for them any more, and then nothing of it goes on.
 */
export type ResolveTarget = (host: string, port: number, signal: AbortSignal) => Promise<readonly Endpoint[]>;

export interface WayOutBounds {
  /** How many connections of a host are open at once. */
  readonly connections: number;
  /** How many bytes go through them in one call, both ways together. A piece of few bytes counts as 1,024. */
  readonly bytesOfCall: number;
}

const CONNECT_MS = 10_000;
/** A host that was given a way takes it at once. */
const TAKE_MS = 10_000;
/**
 * How long a connection is silent that the host has ended, before it is closed; and how long the target may take to read
 * the rest, once the host has left.
 */
const LAST_WORDS_MS = 10_000;

/**
 * Makes the connections of one host. The host has no network: it asks for a host and port, the target is judged and
 * connected to here, and the host gets the path of a local socket that is joined to the connection. Each socket takes
 * one connection, and its random name is the right to use it.
 */
export class WayOut {
  private readonly open = new Set<Socket | Server>();
  /** The connections of the host, each by its side in here. */
  private readonly joined = new Map<Socket, Socket>();
  /** Until when nothing is let out. Null when nothing holds it. */
  private held: Promise<unknown> | null = null;
  /** The connections that were taken in here. */
  private readonly inside = new Set<Socket>();
  /** The folder for its sockets cannot be used any more. */
  isLost = false;
  private readonly closed = new AbortController();
  private readonly places: Places;
  private call = 0;
  private bytes = 0;

  constructor(
    private readonly folder: string,
    private readonly resolve: ResolveTarget,
    private readonly bounds: WayOutBounds,
  ) {
    setMaxListeners(0, this.closed.signal);
    const { connections } = bounds;
    this.places = new Places(connections, () => new Error(`A piece may have ${connections} connections at once.`));
  }

  /**
   * Begins the count of a call anew. What the call before gives away is not committed yet when it still holds, so the
   * connections that it leaves end.
   */
  beginCall(): void {
    this.bytes = 0;
    if (this.held) this.endJoined();
    this.held = null;
  }

  /** Lets nothing out until this work is done. Where it fails, no new way is given, and the open connections end. */
  hold(work: Promise<unknown>): void {
    for (const [near, far] of this.joined) near.unpipe(far);
    const held = (this.held = Promise.all([this.held, work]));
    held.then(
      () => this.held === held && this.letOut(),
      () => this.held === held && this.endJoined(),
    );
  }

  /** Returns the path of the socket. Rejects with the reason for which there is no way. */
  async openTo(host: string, port: number): Promise<string> {
    return this.counted(async () => {
      const far = await this.connectTo(host, port);
      return this.offer((near) => this.pass(near, far), far);
    });
  }

  /** Returns the path of a socket whose connection is taken in here. The connection ends with the call. */
  async openInside(take: (near: Socket) => void): Promise<string> {
    const { call } = this;
    return this.counted(async () => {
      await this.held;
      const takeInCall = (near: Socket): void => {
        if (call === this.call) this.takeInside(near, take);
        else near.destroy();
      };
      return this.offer(takeInCall);
    });
  }

  /** Ends the connections that were taken in here, and takes no further one of the call. */
  endCall(): void {
    this.call++;
    for (const near of this.inside) near.destroy();
  }

  /** Ends every connection, and gives no further one. */
  close(): void {
    this.closed.abort(new Error('The host has ended.'));
    for (const each of this.open) {
      if (each instanceof Socket) each.destroy();
      else each.close();
    }
  }

  private get hasPassedTooMuch(): boolean {
    return this.bytes > this.bounds.bytesOfCall;
  }

  private endJoined(): void {
    for (const near of this.joined.keys()) near.destroy();
  }

  private letOut(): void {
    this.held = null;
    for (const [near, far] of this.joined) near.pipe(far);
  }

  /** Opens a way that takes one place of the host until it is over. */
  private async counted(open: () => Promise<string>): Promise<string> {
    await this.places.take();
    try {
      if (this.hasPassedTooMuch) throw new Error('A call of a piece has sent and got too much.');
      return await open();
    } catch (error) {
      this.places.giveBack();
      throw error;
    }
  }

  private async connectTo(host: string, port: number): Promise<Socket> {
    const { signal } = this.closed;
    await this.held;
    signal.throwIfAborted();
    const far = await connectToFirst(await this.resolve(host, port, signal), signal);
    this.keep(far);
    if (signal.aborted) far.destroy();
    return far;
  }

  /**
   * Gives the path of a socket, whose first connection is taken. Closing the server removes the path. The place is free
   * when both sides are closed.
   */
  private async offer(take: (near: Socket) => void, far?: Socket): Promise<string> {
    const path = join(this.folder, randomBytes(16).toString('hex'));
    const server = createServer({ allowHalfOpen: true });
    this.open.add(server);
    server.once('close', () => this.open.delete(server));
    try {
      await new Promise<void>((done, failed) => server.once('error', failed).listen(path, done));
      // The host is another user. It cannot list the folder, so only who was told the name can connect.
      await chmod(path, 0o666);
    } catch (error) {
      this.isLost = true;
      server.close();
      far?.destroy();
      throw error;
    }
    const late = setTimeout(() => {
      server.close();
      far?.destroy();
      this.places.giveBack();
    }, TAKE_MS).unref();
    server.once('connection', (near) => {
      clearTimeout(late);
      server.close();
      this.keep(near);
      near.once('close', () => {
        if (!far || far.closed) this.places.giveBack();
        else far.once('close', () => this.places.giveBack());
      });
      take(near);
    });
    return path;
  }

  private takeInside(near: Socket, take: (near: Socket) => void): void {
    const { call } = this;
    this.inside.add(near);
    near.once('close', () => {
      this.inside.delete(near);
      if (call === this.call) this.bytes += near.bytesWritten;
    });
    take(near);
    near.on('data', (piece: Buffer) => this.count(piece, near)); // as it is read: this does not make it flow
  }

  private count(piece: Buffer, near: Socket): void {
    this.bytes += bytesOfPiece(piece);
    if (this.hasPassedTooMuch) near.destroy();
  }

  private pass(near: Socket, far: Socket): void {
    if (far.destroyed) return void near.destroy();
    if (this.held) near.pause();
    const count = (piece: Buffer): void => this.count(piece, near);
    near.on('data', count);
    far.on('data', count);
    // The other side of a connection that the host has ended may say something last, and not keep it open for ever.
    near.once('end', () => far.setTimeout(LAST_WORDS_MS, () => far.destroy()));
    near.once('close', () => {
      far.destroySoon();
      const late = setTimeout(() => far.destroy(), LAST_WORDS_MS).unref();
      far.once('close', () => clearTimeout(late));
    });
    far.once('close', () => near.destroySoon());
    if (!this.held) near.pipe(far);
    far.pipe(near);
    this.joined.set(near, far);
    near.once('close', () => this.joined.delete(near));
  }

  private keep(socket: Socket): void {
    this.open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.open.delete(socket));
  }
}

async function connectToFirst(endpoints: readonly Endpoint[], signal: AbortSignal): Promise<Socket> {
  let failure: unknown;
  for (const endpoint of endpoints) {
    signal.throwIfAborted();
    try {
      return await connected(endpoint, signal);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

const connected = ({ address, port }: Endpoint, signal: AbortSignal): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, noDelay: true, allowHalfOpen: true });
    const stop = (): void => void socket.destroy(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    const late = setTimeout(() => socket.destroy(new Error(`no connection within ${CONNECT_MS} ms`)), CONNECT_MS);
    socket.once('error', reject);
    const settled = (): void => {
      clearTimeout(late);
      signal.removeEventListener('abort', stop);
    };
    socket.once('close', settled);
    socket.once('connect', () => {
      settled();
      socket.off('error', reject);
      resolve(socket);
    });
  });
