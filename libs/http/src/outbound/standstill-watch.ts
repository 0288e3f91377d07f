const LOOKS_EVERY_MS = 500;

/**
 * Knows when this process stood still, because it was frozen with its machine or container, or had no processor. Peers
 * may have closed connections meanwhile, which it does not know before it has asked the system.
 */
export class StandstillWatch {
  private lookedAt = performance.now();
  private endedAt = -Infinity;
  private readonly timer: NodeJS.Timeout;

  /** @param longMs a shorter standstill does not count; more than the time between two looks */
  constructor(private readonly longMs: number) {
    this.timer = setInterval(() => this.look(), Math.min(LOOKS_EVERY_MS, longMs / 2)).unref();
  }

  /** Whether a standstill ended after this moment, which is one of `performance.now()`. */
  since(moment: number): boolean {
    this.look();
    return this.endedAt >= moment;
  }

  end(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const now = performance.now();
    if (now - this.lookedAt >= this.longMs) this.endedAt = now;
    this.lookedAt = now;
  }
}
