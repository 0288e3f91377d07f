import type { Duplex } from 'node:stream';

/** Nothing that a piece sends or gets at once is longer. A longer announcement is refused before its bytes are read. */
export const MOST_FRAME_BYTES = 16 * 1024 * 1024;
/**
 * How many values a message has at most. Reading JSON blocks the worker: a message of this many empty objects for a tenth
 * of a second.
 */
const MOST_VALUES = 300_000;
const LENGTH_BYTES = 4;
const COMMA = 0x2c;

/** Thrown when the other side announces a frame that is too long, or sends one that is not JSON. */
export class BrokenFrameError extends Error {}

/** Writes a message as JSON behind its length. Throws BrokenFrameError when it is too long. */
export function frameOf(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  if (body.length > MOST_FRAME_BYTES) throw new BrokenFrameError(`A message is longer than ${MOST_FRAME_BYTES} bytes.`);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + body.length);
  frame.writeUInt32BE(body.length);
  body.copy(frame, LENGTH_BYTES);
  return frame;
}

/** Collects frames from the pieces of a stream. Each is JSON, so that reading a hostile one runs nothing. */
export class FrameReader {
  private pieces: Buffer[] = [];
  private size = 0;
  private awaited = LENGTH_BYTES;
  private readsLength = true;

  constructor(private readonly take: (message: unknown, bytes: number) => void) {}

  /** Gives the messages that this piece completes. Throws BrokenFrameError. */
  push(piece: Buffer): void {
    this.pieces.push(piece);
    this.size += piece.length;
    while (this.size >= this.awaited) this.next(this.cut(this.awaited));
  }

  private next(bytes: Buffer): void {
    if (this.readsLength) {
      this.awaited = bytes.readUInt32BE();
      if (this.awaited > MOST_FRAME_BYTES)
        throw new BrokenFrameError(`A message is longer than ${MOST_FRAME_BYTES} bytes.`);
    } else {
      this.awaited = LENGTH_BYTES;
      assertFewValues(bytes);
      this.take(parse(bytes), bytes.length);
    }
    this.readsLength = !this.readsLength;
  }

  private cut(length: number): Buffer {
    const all = this.pieces.length === 1 ? (this.pieces[0] as Buffer) : Buffer.concat(this.pieces);
    this.pieces = all.length > length ? [all.subarray(length)] : [];
    this.size -= length;
    return all.subarray(0, length);
  }
}

/** Nearly every value but the first follows a comma. Commas in texts count too, which makes the bound a little stricter. */
function assertFewValues(bytes: Buffer): void {
  if (bytes.length <= MOST_VALUES) return;
  let commas = 0;
  for (let at = bytes.indexOf(COMMA); at >= 0; at = bytes.indexOf(COMMA, at + 1))
    if (++commas > MOST_VALUES) throw new BrokenFrameError(`A message has more than ${MOST_VALUES} values.`);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch (cause) {
    throw new BrokenFrameError('A message is not JSON.', { cause });
  }
}

/** Sends and takes messages over a stream of bytes. There is no stream when a process could not be started. */
export class FrameChannel {
  constructor(
    private readonly stream: Duplex | null,
    on: { message(message: unknown, bytes: number): void; broken(error: BrokenFrameError): void },
  ) {
    const reader = new FrameReader((message, bytes) => on.message(message, bytes));
    stream?.on('data', (piece: Buffer) => {
      try {
        reader.push(piece);
      } catch (error) {
        if (!(error instanceof BrokenFrameError)) throw error;
        stream.destroy();
        on.broken(error);
      }
    });
    // The other side ends by its process, which is watched.
    stream?.on('error', () => stream.destroy());
  }

  /** How many bytes the other side has not taken yet. */
  get waitingBytes(): number {
    return this.stream?.writableLength ?? 0;
  }

  /** Throws BrokenFrameError when the message is too long. */
  send(message: unknown): void {
    this.sendFrame(frameOf(message));
  }

  /** Sends a message that was written before. */
  sendFrame(frame: Buffer): void {
    if (this.stream && !this.stream.destroyed) this.stream.write(frame);
  }
}
