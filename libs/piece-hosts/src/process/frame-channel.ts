import type { Duplex } from 'node:stream';
import { BrokenFrameError, FrameReader, weighedFrameOf } from './frames';
import type { Pace } from './pace';

/** Each piece of the stream costs its reader as much as so many values, also when it has one byte. */
const WORK_OF_PIECE = 64;

export interface ChannelEvents {
  /** A message has come, with so many bytes, and reading it cost as much as so many values. */
  message(message: unknown, bytes: number, work: number): void;
  broken(error: BrokenFrameError): void;
}

/** A time in which the channel reads nothing. */
interface Rest {
  readonly over: Promise<void>;
  readonly end: () => void;
}

/**
 * Sends and takes messages over a stream of bytes. There is no stream when a process could not be started. With a pace,
 * it reads nothing while the other side has to rest, or has not taken what it was sent.
 */
export class FrameChannel {
  private resting: Rest | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly stream: Duplex | null,
    on: ChannelEvents,
    private readonly pace?: Pace,
  ) {
    const reader = new FrameReader((message, bytes, work) => {
      pace?.spend(work);
      on.message(message, bytes, work);
    });
    stream?.on('data', (piece: Buffer) => {
      try {
        pace?.spend(WORK_OF_PIECE);
        reader.push(piece);
        void this.rest;
      } catch (error) {
        if (!(error instanceof BrokenFrameError)) throw error;
        this.close();
        on.broken(error);
      }
    });
    // The other side ends by its process, which is watched.
    stream?.on('error', () => this.close());
    stream?.on('close', () => clearTimeout(this.timer));
  }

  /** Resolves when the other side has rested. Null when it need not. Never resolves after the channel was closed. */
  get rest(): Promise<void> | null {
    const { pace, stream } = this;
    if (!this.resting && pace && stream && !stream.destroyed && (stream.writableNeedDrain || pace.restMs > 0)) {
      stream.pause();
      this.resting = aRest();
      this.endRest(pace, stream);
    }
    return this.resting?.over ?? null;
  }

  /** Sends a message. Returns what writing it cost, in values. Throws BrokenFrameError when it is too long. */
  send(message: unknown): number {
    const { frame, work } = weighedFrameOf(message);
    this.sendFrame(frame);
    return work;
  }

  /** Sends a message that was written before. */
  sendFrame(frame: Buffer): void {
    if (this.stream && !this.stream.destroyed) this.stream.write(frame);
  }

  /** Reads nothing more. */
  close(): void {
    clearTimeout(this.timer);
    this.stream?.destroy();
  }

  /** Reads on, or waits for what is missing for it. */
  private endRest(pace: Pace, stream: Duplex): void {
    const again = (): void => this.endRest(pace, stream);
    const { restMs } = pace;
    if (stream.destroyed) return;
    if (stream.writableNeedDrain) stream.once('drain', again);
    else if (restMs > 0) this.timer = setTimeout(again, Math.ceil(restMs));
    else {
      const ended = this.resting;
      this.resting = null;
      stream.resume();
      ended?.end();
    }
  }
}

function aRest(): Rest {
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  return { over, end };
}
