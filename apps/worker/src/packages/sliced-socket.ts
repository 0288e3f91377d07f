import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * A connection whose bytes come in small pieces, so that whoever reads them can end it before many were read: a piece
 * that the system gives at once may be 64 KB, and the parser of Node.js makes every request that is in it, 2,500 of
 * them. The socket ends with it, and it with the socket.
 */
export class SlicedSocket extends Duplex {
  private isWanted = false;

  constructor(
    private readonly socket: Socket,
    private readonly mostBytes: number,
  ) {
    super();
    socket.on('readable', () => this.give());
    socket.once('end', () => this.push(null));
    socket.once('error', () => this.destroy());
    socket.once('close', () => this.destroy());
  }

  override _read(): void {
    this.isWanted = true;
    this.give();
  }

  override _write(piece: Buffer, _encoding: string, written: (error?: Error | null) => void): void {
    this.socket.write(piece, written);
  }

  /** Nothing is read any more when everything has been said. */
  override _final(done: () => void): void {
    this.socket.end(() => {
      done();
      this.destroy();
    });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.socket.destroy();
    done(error);
  }

  private give(): void {
    const bytes = Math.min(this.socket.readableLength, this.mostBytes);
    if (!this.isWanted || this.destroyed) return;
    const piece = this.socket.read(bytes) as Buffer | null; // of 0 bytes it gives none, and reads on
    if (!piece) return;
    this.isWanted = false;
    this.push(piece);
  }
}
