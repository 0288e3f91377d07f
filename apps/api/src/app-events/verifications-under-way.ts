import { RateLimitedError } from '@millrace/domain';

const RETRY_AFTER_SECONDS = 1;

/**
 * Bounds how many requests of apps are verified at once. Anybody may send one, and each costs a call of a package, so one
 * address cannot take all the room.
 */
export class VerificationsUnderWay {
  private readonly byAddress = new Map<string, number>();
  private all = 0;

  constructor(private readonly most: { all: number; ofAddress: number }) {}

  /** Throws RateLimitedError when there is no room. */
  async during<Result>(address: string, work: () => Promise<Result>): Promise<Result> {
    const ofAddress = this.byAddress.get(address) ?? 0;
    if (this.all >= this.most.all || ofAddress >= this.most.ofAddress)
      throw new RateLimitedError(RETRY_AFTER_SECONDS, 'Too many events of apps are being verified');
    this.all++;
    this.byAddress.set(address, ofAddress + 1);
    try {
      return await work();
    } finally {
      this.all--;
      this.leave(address);
    }
  }

  private leave(address: string): void {
    const left = (this.byAddress.get(address) ?? 1) - 1;
    if (left === 0) this.byAddress.delete(address);
    else this.byAddress.set(address, left);
  }
}
