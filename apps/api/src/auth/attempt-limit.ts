import { RateLimitedError } from '@millrace/domain';
import { LRUCache } from 'lru-cache';

const MAX_NAMES = 100_000;

interface Window {
  count: number;
  endsAt: number;
}

/**
 * Limits the attempts per name within a window that begins with the first attempt. The counts are kept in the memory of
 * this process.
 */
export class AttemptLimit {
  private readonly windows = new LRUCache<string, Window>({ max: MAX_NAMES });

  constructor(
    private readonly most: number,
    private readonly windowSeconds: number,
  ) {}

  /** Counts the attempt. Throws RateLimitedError when the limit is exceeded. */
  count(name: string, now: Date): void {
    const time = now.getTime();
    const known = this.windows.get(name);
    const window = known && known.endsAt > time ? known : { count: 0, endsAt: time + this.windowSeconds * 1000 };
    if (window.count >= this.most)
      throw new RateLimitedError(Math.ceil((window.endsAt - time) / 1000), undefined, this.most);
    window.count++;
    this.windows.set(name, window);
  }

  /** Forgets the attempts of a name, after one of them succeeded. */
  forget(name: string): void {
    this.windows.delete(name);
  }
}
