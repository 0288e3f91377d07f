import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A proxy to a store that can fall silent. It then neither closes nor answers, like a peer behind a lost network. */
export class SilentProxy {
  private readonly sockets = new Set<Socket>();
  private readonly silent = new WeakSet<Socket>();
  private server: Server | null = null;
  private isSilent = false;

  constructor(private readonly behind: URL) {}

  /** Starts the proxy. Returns the address of the store with the proxy's host and port. */
  async open(): Promise<string> {
    this.server = createServer((socket) => this.pass(socket));
    const { server } = this;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(this.behind);
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as AddressInfo).port);
    return url.toString();
  }

  /** Silences the open connections and those to come. */
  fallSilent(): void {
    this.isSilent = true;
    for (const socket of this.sockets) this.silent.add(socket);
  }

  /** Passes new connections on again. Connections that were silenced stay silent. */
  recover(): void {
    this.isSilent = false;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server?.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private pass(near: Socket): void {
    const far = connect(Number(this.behind.port), this.behind.hostname);
    this.passFrom(near, far);
    this.passFrom(far, near);
  }

  private passFrom(from: Socket, to: Socket): void {
    this.sockets.add(from);
    if (this.isSilent) this.silent.add(from);
    from.on('data', (chunk) => !this.silent.has(from) && to.write(chunk));
    from.on('error', () => from.destroy()); // the tests cut connections on purpose
    from.on('close', () => {
      this.sockets.delete(from);
      if (!this.silent.has(from)) to.destroy();
    });
  }
}
