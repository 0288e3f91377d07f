import type { Readable } from 'node:stream';

/** What all connections of the process together may have thrown away in a second: who is refused takes little time of others. */
const BYTES_PER_SECOND = 32 * 1024 * 1024;
/** Sooner than that nobody waits. */
const SLACK_MS = 5;

/** When so many bytes more may be read; each has its turn after those before it. Times in ms, of a clock that never goes back. */
export class DiscardPace {
  private turnAt = 0;

  constructor(private readonly bytesPerSecond = BYTES_PER_SECOND) {}

  /** How long to wait after these bytes. */
  waitMs(bytes: number, now: number): number {
    this.turnAt = Math.max(this.turnAt, now) + (bytes * 1_000) / this.bytesPerSecond;
    const wait = this.turnAt - now;
    return wait > SLACK_MS ? wait : 0;
  }
}

const pace = new DiscardPace();

/** Reads to the end, and keeps nothing. */
export function discard(stream: Readable): void {
  stream.on('data', (chunk: Buffer) => {
    const waitMs = pace.waitMs(chunk.length, performance.now());
    if (waitMs === 0) return;
    stream.pause();
    setTimeout(() => stream.resume(), waitMs);
  });
  stream.resume();
}
