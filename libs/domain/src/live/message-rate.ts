/** Says when messages may be sent. In each period of a second there are at most `burst + perSecond` of them. */
export class MessageRate {
  private left: number;
  private countedAt = 0;

  constructor(private readonly limit: { burst: number; perSecond: number }) {
    this.left = limit.burst;
  }

  /** Counts a message when it may be sent now. Otherwise returns false. `nowMs` comes from a clock that only advances. */
  take(nowMs: number): boolean {
    this.refill(nowMs);
    if (this.left < 1) return false;
    this.left--;
    return true;
  }

  /** How long it takes until the next message may be sent; 0 when it may be sent now. */
  waitMs(nowMs: number): number {
    this.refill(nowMs);
    return this.left >= 1 ? 0 : Math.ceil(((1 - this.left) / this.limit.perSecond) * 1_000);
  }

  private refill(nowMs: number): void {
    const { burst, perSecond } = this.limit;
    this.left = Math.min(burst, this.left + ((nowMs - this.countedAt) * perSecond) / 1_000);
    this.countedAt = nowMs;
  }
}
