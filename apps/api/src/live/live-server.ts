import {
  DomainError,
  InvalidRequestError,
  LiveFeed,
  MessageRate,
  RateLimitedError,
  RunNotices,
  ServiceUnavailableError,
} from '@millrace/domain';
import { networkOf } from '@millrace/http';
import { Injectable, Optional } from '@nestjs/common';
import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorBody } from './error-body';
import { FairBound } from './fair-bound';
import { LiveAccess } from './live-access';
import { LiveConnections } from './live-connections';
import { LIVE_LIMITS, type LiveLimits } from './live-limits';
import { LIVE_PATH, type Acknowledge, type LiveSocket, type LiveSocketServer, type Subscribed } from './live-messages';
import { LiveOutput } from './live-output';
import { drop, hurryGoodbyes, whenGone, type LiveTransport } from './live-transport';
import { ProjectRooms } from './project-rooms';
import { RunRooms } from './run-rooms';
import { Subscriptions } from './subscriptions';

const SIGN_IN_MS = 5_000;
const PING_EVERY_MS = 15_000;
const PONG_WITHIN_MS = 10_000;
/** How often one connection may try to sign in. */
const SIGN_INS = 3;
/** How long answers under way may take when the service stops. */
const LAST_ANSWERS_MS = 2_000;

/**
 * The socket.io server of this process. It serves its own clients from what all processes publish, so several api
 * processes need no adapter between them. It is made for the first client: most processes of a test or a small
 * installation never have one.
 */
@Injectable()
export class LiveServer {
  private opening: Promise<LiveSocketServer> | null = null;
  private readonly signIns = new WeakMap<object, number>();
  private readonly signingIn: FairBound;
  /** Where the requests come from that begin a connection. */
  private readonly networks = new WeakMap<object, string>();
  /** By its connection, what a client gives back when it has signed in. */
  private readonly signedIn = new WeakMap<object, () => void>();
  private readonly underWay = new Set<Promise<unknown>>();
  private isStopping = false;

  constructor(
    private readonly access: LiveAccess,
    private readonly connections: LiveConnections,
    private readonly subscriptions: Subscriptions,
    private readonly output: LiveOutput,
    private readonly runs: RunRooms,
    private readonly projects: ProjectRooms,
    private readonly feed: LiveFeed,
    private readonly notices: RunNotices,
    @Optional() private readonly limits: LiveLimits = LIVE_LIMITS,
  ) {
    this.signingIn = new FairBound(limits.signingIn);
  }

  opened(): Promise<LiveSocketServer> {
    this.opening ??= this.open();
    return this.opening;
  }

  /**
   * Lets a request begin a connection. Throws ServiceUnavailableError when there are too many connections for one more,
   * and RateLimitedError when those of its network that have not signed in are too many.
   */
  admit(request: IncomingMessage, address: string): void {
    if (this.isStopping) throw STOPPING;
    if (this.connections.count >= this.limits.connections)
      throw new ServiceUnavailableError('Too many clients are connected now; try again later.', 5);
    const network = networkOf(address);
    if (!this.signingIn.hasRoomFor(network))
      throw new RateLimitedError(5, 'Too many clients at your address have connected and not signed in');
    this.networks.set(request, network);
  }

  /** Answers what is under way, which needs the database, before it tells the clients that the service stops. */
  async close(): Promise<void> {
    this.isStopping = true;
    const server = await this.opening;
    if (!server) return;
    await Promise.race([Promise.all(this.underWay), sleep(LAST_ANSWERS_MS, null, { ref: false })]);
    await this.connections.closeAll(STOPPING);
    server.engine.close();
  }

  private async open(): Promise<LiveSocketServer> {
    const { Server } = await import('socket.io');
    // The server needs an HTTP server to make its engine. The requests are those of the api's own HTTP server.
    const server: LiveSocketServer = new Server(createServer(), {
      path: LIVE_PATH,
      serveClient: false,
      // Clients that do not sign in are gone before: the server would ask them to close, and wait for their answer.
      connectTimeout: 2 * SIGN_IN_MS,
      pingInterval: PING_EVERY_MS,
      pingTimeout: PONG_WITHIN_MS,
      maxHttpBufferSize: this.limits.messageBytes,
      httpCompression: false,
    });
    server.use((socket, next) => {
      const signedIn = this.signIn(socket).then(
        () => next(),
        (error: unknown) => next(refusal(this.named(error))),
      );
      this.note(signedIn);
    });
    hurryGoodbyes(server);
    server.engine.on('connection', (connection: LiveTransport) => this.noteSigningIn(connection));
    server.on('connection', (socket) => this.take(socket));
    this.subscriptions.open(server);
    this.output.open(server);
    this.listen();
    return server;
  }

  private async signIn(socket: LiveSocket): Promise<void> {
    const tries = (this.signIns.get(socket.conn) ?? 0) + 1;
    this.signIns.set(socket.conn, tries);
    if (tries > SIGN_INS) throw new RateLimitedError(60, 'This connection has tried to sign in too often');
    const session = await this.access.open(socket.handshake.auth);
    this.connections.assertRoomFor(session);
    socket.data.session = session;
  }

  /** Counts the connection until it has signed in or is gone, and cuts off one that does not sign in. */
  private noteSigningIn(connection: LiveTransport): void {
    const giveBack = this.signingIn.take(this.networks.get(connection.request) ?? '');
    const overdue = setTimeout(() => drop(connection), SIGN_IN_MS).unref();
    whenGone(connection, giveBack);
    this.signedIn.set(connection, () => {
      clearTimeout(overdue);
      giveBack();
    });
  }

  private take(socket: LiveSocket): void {
    this.signedIn.get(socket.conn)?.();
    this.connections.add(socket);
    this.refuseFloods(socket);
    socket.on('subscribe', (...args) => this.answer(args, () => this.subscriptions.enter(socket, roomIn(args))));
    socket.on('unsubscribe', (...args) => this.answer(args, () => this.subscriptions.leave(socket, roomIn(args))));
  }

  /** Answers messages that are unknown or over the rate with an error. A client that goes on is cut off. */
  private refuseFloods(socket: LiveSocket): void {
    const rate = new MessageRate(this.limits.messages);
    let refused = 0;
    socket.use(([name, ...args], next) => {
      const isInTime = rate.take(performance.now());
      if (isInTime && socket.listenerCount(name) > 0) return next();
      const tooMany = new RateLimitedError(1, 'Too many messages');
      if (++refused > this.limits.refusedMessages) return this.connections.cut(socket, tooMany);
      this.answer(args, () => Promise.reject(isInTime ? UNKNOWN : tooMany));
    });
  }

  /** Answers a message whose sender wants an answer. */
  private answer(args: readonly unknown[], find: () => Promise<() => Subscribed>): void {
    const acknowledge = args.at(-1);
    const found = this.isStopping ? Promise.reject(STOPPING) : find();
    const answered = found
      .catch((error: unknown) => () => ({ error: errorBody(this.named(error)) }))
      .then((answer) => {
        if (typeof acknowledge === 'function') (acknowledge as Acknowledge)(answer());
      });
    this.note(answered);
  }

  private note(work: Promise<void>): void {
    this.underWay.add(work);
    void work.finally(() => this.underWay.delete(work));
  }

  /** While the service stops, its parts fail because others have stopped. */
  private named(error: unknown): unknown {
    return this.isStopping && !(error instanceof DomainError) ? STOPPING : error;
  }

  private listen(): void {
    this.feed.listen((changes) => {
      if (!changes) {
        this.runs.allChanged();
        void this.projects.allChanged();
        return;
      }
      for (const { runId, ...step } of changes.steps) this.runs.stepChanged(runId, step);
      this.runs.runsChanged([...changes.runIds, ...changes.unplaced.map(({ id }) => id)]);
      for (const project of changes.projects) this.projects.runsChanged(project);
      void this.projects.unplacedChanged(changes.unplaced);
      for (const flow of changes.flows) this.projects.flowChanged(flow);
    });
    this.notices.listen({
      stopped: (runIds) => {
        this.runs.runsChanged(runIds ?? []);
        void this.projects.stopped(runIds ?? []);
      },
    });
  }
}

const STOPPING = new ServiceUnavailableError('The service stops here; connect again.', 1);
const UNKNOWN = new InvalidRequestError([{ path: '', message: 'must be "subscribe" or "unsubscribe".' }]);

/** The name of a room comes first. A client that wants an answer sends its function last, and maybe nothing else. */
const roomIn = ([room]: readonly unknown[]): unknown => (typeof room === 'function' ? undefined : room);

/** What a client that may not connect gets: `message` of the error, and its whole body in `data`. */
function refusal(error: unknown): Error {
  const data = errorBody(error);
  return Object.assign(new Error(data.params.message), { data });
}
