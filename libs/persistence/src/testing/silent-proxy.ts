import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A way to a store that can go silent: it neither closes nor answers, as a peer behind a lost network. */
export class SilentProxy {
  private readonly sockets = new Set<Socket>();
  private readonly silent = new WeakSet<Socket>();
  private server: Server | null = null;
  private isSilent = false;

  constructor(private readonly behind: URL) {}

  /** The store's address, by way of here. */
  async open(): Promise<string> {
    this.server = createServer((socket) => this.pass(socket));
    const { server } = this;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(this.behind);
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as AddressInfo).port);
    return url.toString();
  }

  /** Those that are open, and those to come. */
  fallSilent(): void {
    this.isSilent = true;
    for (const socket of this.sockets) this.silent.add(socket);
  }

  /** New connections are passed on again; the silent ones stay so. */
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
    from.on('error', () => from.destroy()); // a cut connection is the point of the test
    from.on('close', () => {
      this.sockets.delete(from);
      if (!this.silent.has(from)) to.destroy();
    });
  }
}
