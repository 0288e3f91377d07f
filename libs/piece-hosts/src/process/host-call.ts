import { MOST_FRAME_BYTES } from './frames';
import { Line } from './line';
import type { FromHost, SentError } from './messages';

/** What a call may ask its worker for. */
export type Services = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

/** How a call ended whose host lives on. */
export type HostAnswer = ({ readonly value: unknown } | { readonly error: SentError }) & {
  /** What the package printed, cut at a bound. */
  readonly output: string;
};

export type AskedOfCall = Extract<FromHost, { type: 'ask' }>;

/** What one call may ask for at once, in number and in bytes. */
const MOST_OPEN_ASKS = 64;
const MOST_OPEN_BYTES = 16 * 1024 * 1024;
/** What one call may ask for in all, and what its messages may cost the worker, in values. */
const MOST_ASKS = 10_000;
const MOST_WORK = 20_000_000;

/**
 * What these services read for a package may be large, so that few of them are served at once: what an answer may have is
 * kept free from before it is read until it is written.
 */
const MOST_READ_BYTES = MOST_FRAME_BYTES;
const READ_BYTES: Readonly<Record<string, number>> = {
  'files.read': MOST_READ_BYTES,
  flows: MOST_READ_BYTES,
  'store.get': MOST_READ_BYTES / 8,
};

/** A call that a host runs: what it may ask for, and how much it has asked for. */
export class HostCall {
  private asks = 0;
  private openAsks = 0;
  private openBytes = 0;
  private work = 0;
  private readonly reads = new Line({ entries: MOST_OPEN_ASKS, bytes: MOST_READ_BYTES });

  constructor(
    readonly id: number,
    private readonly services: Services,
    private readonly committing: readonly string[] = [],
  ) {}

  /** Whether nothing may leave the host until this is served. */
  commits({ service }: AskedOfCall): boolean {
    return this.committing.includes(service);
  }

  /** Notes something asked for, and what reading it cost, in values. False when it is more than a call may. */
  takes(work: number): boolean {
    this.spend(work);
    return ++this.asks <= MOST_ASKS && this.work <= MOST_WORK;
  }

  /** Notes what an answer cost, in values. */
  spend(work: number): void {
    this.work += work;
  }

  /** Serves what was asked for, large reads when it is their turn. Null when that is more at once than a call may. */
  serve(asked: AskedOfCall, bytes: number): Promise<unknown> | null {
    if (this.openAsks >= MOST_OPEN_ASKS || this.openBytes + bytes > MOST_OPEN_BYTES) return null;
    this.openAsks++;
    this.openBytes += bytes;
    const read = readBytes(asked);
    if (read === undefined) return this.serviceOf(asked);
    return new Promise((resolve) => this.reads.add({ bytes: read, begin: () => resolve(this.serviceOf(asked)) }));
  }

  /** Notes that an answer was written, so that others have their turn. */
  answered(asked: AskedOfCall, bytes: number): void {
    this.openAsks--;
    this.openBytes -= bytes;
    const read = readBytes(asked);
    if (read !== undefined) this.reads.end(read);
  }

  /** Forgets what still waits for its turn. Reading it would be in vain. */
  end(): void {
    this.reads.forget();
  }

  private async serviceOf({ service, args }: AskedOfCall): Promise<unknown> {
    const offered = Object.hasOwn(this.services, service) ? this.services[service] : undefined;
    if (!offered) throw new Error(`A piece cannot ask for ${JSON.stringify(service.slice(0, 40))} here.`);
    return offered(...args);
  }
}

const readBytes = ({ service }: AskedOfCall): number | undefined =>
  Object.hasOwn(READ_BYTES, service) ? READ_BYTES[service] : undefined;
