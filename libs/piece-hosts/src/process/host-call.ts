import type { FromHost, SentError } from './messages';

/** What a call may ask its worker for. */
export type Services = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

/** How a call ended whose host lives on. */
export type HostAnswer = ({ readonly value: unknown } | { readonly error: SentError }) & {
  /** What the package printed, cut at a bound. */
  readonly output: string;
};

export type AskedOfCall = Extract<FromHost, { type: 'ask' }>;

/** What one call may ask for at once, in number and in bytes, and together. */
const MOST_OPEN_ASKS = 64;
const MOST_OPEN_BYTES = 16 * 1024 * 1024;
const MOST_ASKS = 10_000;

/** A call that a host runs: what it may ask for, and how much it has asked for. */
export class HostCall {
  private asks = 0;
  private openAsks = 0;
  private openBytes = 0;

  constructor(
    readonly id: number,
    private readonly services: Services,
    private readonly committing: readonly string[] = [],
  ) {}

  /** Whether nothing may leave the host until this is served. */
  commits({ service }: AskedOfCall): boolean {
    return this.committing.includes(service);
  }

  /** Serves what was asked for, which takes `bytes` until then. Null when the call asks for more than a call may. */
  serve(asked: AskedOfCall, bytes: number): Promise<unknown> | null {
    if (++this.asks > MOST_ASKS || this.openAsks >= MOST_OPEN_ASKS || this.openBytes + bytes > MOST_OPEN_BYTES)
      return null;
    this.openAsks++;
    this.openBytes += bytes;
    return this.serviceOf(asked).finally(() => {
      this.openAsks--;
      this.openBytes -= bytes;
    });
  }

  private async serviceOf({ service, args }: AskedOfCall): Promise<unknown> {
    const offered = Object.hasOwn(this.services, service) ? this.services[service] : undefined;
    if (!offered) throw new Error(`A piece cannot ask for ${JSON.stringify(service.slice(0, 40))} here.`);
    return offered(...args);
  }
}
