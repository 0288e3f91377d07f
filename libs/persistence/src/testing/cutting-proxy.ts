import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Where a process dies: before PostgreSQL gets the last of these texts, or just after it has answered to it. */
export interface Cut {
  when: 'before' | 'after';
  /** Parts of statements that must pass in this order. */
  texts: readonly string[];
}

/**
 * A proxy to PostgreSQL that cuts all connections at one statement, and takes no further ones. For the database this is
 * as if the process that uses the proxy had been killed there.
 */
export class CuttingProxy {
  private readonly sockets = new Set<Socket>();
  private readonly texts: string[];
  private server: Server | null = null;
  private cutsAtAnswer = false;
  isCut = false;

  constructor(
    private readonly behind: URL,
    private readonly cut: Cut,
  ) {
    this.texts = [...cut.texts];
  }

  /** Starts the proxy. Returns the address of the database with the proxy's host and port. */
  async open(): Promise<string> {
    this.server = createServer((socket) => this.pass(socket));
    const { server } = this;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(this.behind);
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as AddressInfo).port);
    return url.toString();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server?.close(resolve));
    this.cutAll();
    await closed;
  }

  private pass(near: Socket): void {
    if (this.isCut) return void near.destroy();
    const far = connect(Number(this.behind.port), this.behind.hostname);
    this.join(near, far);
    this.join(far, near);
    near.on('data', (chunk: Buffer) => this.pathOf(chunk) === 'cut' || far.write(chunk));
    far.on('data', (chunk: Buffer) => (this.cutsAtAnswer ? this.cutAll() : near.write(chunk)));
  }

  private join(socket: Socket, other: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy()); // the proxy cuts connections on purpose
    socket.on('close', () => {
      this.sockets.delete(socket);
      other.destroy();
    });
  }

  private pathOf(chunk: Buffer): 'cut' | 'on' {
    if (this.isCut) return 'cut';
    const [next] = this.texts;
    if (next === undefined || !chunk.includes(next)) return 'on';
    this.texts.shift();
    if (this.texts.length > 0) return 'on';
    if (this.cut.when === 'before') {
      this.cutAll();
      return 'cut';
    }
    this.cutsAtAnswer = true;
    return 'on';
  }

  private cutAll(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }
}
