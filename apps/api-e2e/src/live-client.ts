import { io, type Socket } from 'socket.io-client';
import { patience } from '@millrace/e2e-support';

interface Message<Body> {
  name: string;
  body: Body;
  /** When it arrived, in ms. */
  at: number;
}

export interface ErrorBody {
  statusCode: number;
  code: string;
  params: { message: string } & Record<string, unknown>;
}

export type Subscribed = { room: string; run?: { status: string } } | { error: ErrorBody };

const WITHIN_MS = 60_000 * patience;

/** A client of the live updates, which keeps every message that it gets. */
export class LiveClient {
  readonly messages: Message<unknown>[] = [];
  private readonly waiting = new Set<() => void>();

  private constructor(readonly socket: Socket) {
    socket.onAny((name: string, body: unknown) => {
      this.messages.push({ name, body, at: Date.now() });
      this.wake();
    });
    socket.on('disconnect', () => this.wake());
  }

  /** Resolves once connected. Rejects with the error's body when the connection is refused. */
  static connect(
    baseUrl: string,
    auth: object,
    transports: ('polling' | 'websocket')[] = ['websocket'],
  ): Promise<LiveClient> {
    const socket = io(baseUrl, { path: '/api/socket.io', auth, transports, reconnection: false, forceNew: true });
    const client = new LiveClient(socket);
    return new Promise((resolve, reject) => {
      socket.once('connect', () => resolve(client));
      socket.once('connect_error', (error: Error & { data?: ErrorBody }) => {
        socket.close();
        reject(Object.assign(error, error.data));
      });
    });
  }

  ask(message: string, room: unknown): Promise<Subscribed> {
    return this.socket.timeout(WITHIN_MS).emitWithAck(message, room) as Promise<Subscribed>;
  }

  /** Enters a room. Throws when it may not. */
  async enter(room: string): Promise<Exclude<Subscribed, { error: ErrorBody }>> {
    const answer = await this.ask('subscribe', room);
    if ('error' in answer) throw new Error(JSON.stringify(answer.error));
    return answer;
  }

  named<Body>(name: string): Message<Body>[] {
    return this.messages.filter((message): message is Message<Body> => message.name === name);
  }

  /** Resolves once the messages of this name are as asked for. */
  async once<Body>(name: string, isSo: (body: Body) => boolean = () => true): Promise<{ body: Body; at: number }> {
    return this.until(() => this.named<Body>(name).find(({ body }) => isSo(body)));
  }

  async disconnected(): Promise<true> {
    return this.until((): true | undefined => (this.socket.disconnected ? true : undefined));
  }

  /** Resolves with what `find` finds. Throws after a while; each message may bring it. */
  async until<Found>(find: () => Found | undefined): Promise<Found> {
    const deadline = Date.now() + WITHIN_MS;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (Date.now() > deadline) throw new Error(`Only this came: ${JSON.stringify(this.messages).slice(0, 2_000)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadline - Date.now() + 1);
        this.waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  close(): void {
    this.socket.close();
  }

  private wake(): void {
    for (const wake of this.waiting) wake();
    this.waiting.clear();
  }
}
