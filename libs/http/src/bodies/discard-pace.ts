import type { Readable } from 'node:stream';

/** How much the process discards per second for all connections together, so that refused requests cost little time. */
const BYTES_PER_SECOND = 32 * 1024 * 1024;
/** Waits that are shorter than this are left out. */
const SLACK_MS = 5;

/** Spaces reads out to a rate of bytes. Times are in milliseconds, from a clock that never goes back. */
export class DiscardPace {
  private turnAt = 0;

  constructor(private readonly bytesPerSecond = BYTES_PER_SECOND) {}

  /** Returns how long to wait after reading these bytes. */
  waitMs(bytes: number, now: number): number {
    this.turnAt = Math.max(this.turnAt, now) + (bytes * 1_000) / this.bytesPerSecond;
    const wait = this.turnAt - now;
    return wait > SLACK_MS ? wait : 0;
  }
}

const pace = new DiscardPace();

/** Reads the stream to its end, at the shared pace, and keeps no bytes. */
export function discard(stream: Readable): void {
  stream.on('data', (chunk: Buffer) => {
    const waitMs = pace.waitMs(chunk.length, performance.now());
    if (waitMs === 0) return;
    stream.pause();
    setTimeout(() => stream.resume(), waitMs);
  });
  stream.resume();
}
