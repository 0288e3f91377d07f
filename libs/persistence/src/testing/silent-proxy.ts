import type { Socket } from 'node:net';
import { TcpProxy } from './tcp-proxy';

/** A proxy to a store that can fall silent. It then neither closes nor answers, like a peer behind a lost network. */
export class SilentProxy extends TcpProxy {
  private readonly silent = new WeakSet<Socket>();
  private isSilent = false;

  /** Silences the open connections and those to come. */
  fallSilent(): void {
    this.isSilent = true;
    for (const socket of this.sockets) this.silent.add(socket);
  }

  /** Passes new connections on again. Connections that were silenced stay silent. */
  recover(): void {
    this.isSilent = false;
  }

  protected pass(near: Socket, far: Socket): void {
    this.passFrom(near, far);
    this.passFrom(far, near);
  }

  private passFrom(from: Socket, to: Socket): void {
    if (this.isSilent) this.silent.add(from);
    from.on('data', (chunk) => !this.silent.has(from) && to.write(chunk));
    from.on('close', () => !this.silent.has(from) && to.destroy());
  }
}
