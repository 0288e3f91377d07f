import { RateLimitedError } from '@millrace/domain';
import { LRUCache } from 'lru-cache';

const MAX_NAMES = 100_000;

interface Window {
  count: number;
  endsAt: number;
}

/** At most so many attempts per name within a window that begins with the first. Kept in this process's memory. */
export class AttemptLimit {
  private readonly windows = new LRUCache<string, Window>({ max: MAX_NAMES });

  constructor(
    private readonly most: number,
    private readonly windowSeconds: number,
  ) {}

  /** Counts the attempt; throws RateLimitedError when it is one too many. */
  count(name: string, now: Date): void {
    const time = now.getTime();
    const known = this.windows.get(name);
    const window = known && known.endsAt > time ? known : { count: 0, endsAt: time + this.windowSeconds * 1000 };
    if (window.count >= this.most) throw new RateLimitedError(Math.ceil((window.endsAt - time) / 1000));
    window.count++;
    this.windows.set(name, window);
  }

  /** Begins anew for a name that has shown what it is. */
  forget(name: string): void {
    this.windows.delete(name);
  }
}
