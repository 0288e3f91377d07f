import { InvalidWebhookSignatureError, RateLimitedError } from '@millrace/domain';
import { networkOf } from '@millrace/http';
import { LRUCache } from 'lru-cache';

const RETRY_AFTER_SECONDS = 1;
/** How many refused requests within this time make an address a suspect. */
const MOST_REFUSED = 20;
const REMEMBERED_MS = 60_000;
const MOST_REMEMBERED = 10_000;

/**
 * Bounds how many requests of apps are verified at once. Anybody may send one, and each costs a call of a package, so one
 * address cannot take all the room, and one whose requests are mostly refused has room for a single one.
 * Of IPv6 that is a network, all of whose addresses one client may use.
 */
export class VerificationsUnderWay {
  private readonly byAddress = new Map<string, number>();
  private readonly refused = new LRUCache<string, number>({ max: MOST_REMEMBERED, ttl: REMEMBERED_MS });
  private all = 0;

  constructor(private readonly most: { all: number; ofAddress: number }) {}

  /** Throws RateLimitedError when there is no room. */
  async during<Result>(from: string, work: () => Promise<Result>): Promise<Result> {
    const address = networkOf(from);
    const ofAddress = this.byAddress.get(address) ?? 0;
    const isSuspect = (this.refused.get(address) ?? 0) >= MOST_REFUSED;
    if (this.all >= this.most.all || ofAddress >= (isSuspect ? 1 : this.most.ofAddress))
      throw new RateLimitedError(RETRY_AFTER_SECONDS, 'Too many events of apps are being verified');
    this.all++;
    this.byAddress.set(address, ofAddress + 1);
    try {
      const result = await work();
      this.refused.delete(address);
      return result;
    } catch (error) {
      if (error instanceof InvalidWebhookSignatureError)
        this.refused.set(address, (this.refused.get(address) ?? 0) + 1);
      throw error;
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
