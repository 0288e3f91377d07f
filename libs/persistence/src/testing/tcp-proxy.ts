import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP proxy to a store on another address of this machine. What it does with each connection is up to the kind of proxy. */
export abstract class TcpProxy {
  protected readonly sockets = new Set<Socket>();
  private server: Server | null = null;

  constructor(private readonly behind: URL) {}

  /** Passes on what `near`, the client, and `far`, the store, send. */
  protected abstract pass(near: Socket, far: Socket): void;

  /** Starts the proxy. Returns the address of the store with the proxy's host and port. */
  async open(): Promise<string> {
    this.server = createServer((near) => {
      const far = connect(Number(this.behind.port), this.behind.hostname);
      for (const socket of [near, far]) this.follow(socket);
      this.pass(near, far);
    });
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

  protected cutAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private follow(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy()); // the tests cut connections on purpose
    socket.on('close', () => this.sockets.delete(socket));
  }
}
