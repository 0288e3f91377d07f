import { RateLimitedError } from '../errors/rate-limited.error';
import { minuteOf, type RequestCounts } from './request-counts';

/** What the caller may still do in this minute. */
export interface RequestAllowance {
  limit: number;
  remaining: number;
  /** The seconds until the next minute begins. */
  resetSeconds: number;
}

interface Count {
  /** The count of all processes, with that of this one, when it was last told. */
  told: number;
  /** The requests that this process has not told yet. */
  own: number;
}

/**
 * Limits the requests of each name in each minute of the clock. Every process counts for itself and tells its counts to
 * the others now and then, so a limit is exceeded by what other processes admit between two tellings, and never by what
 * this process admits. While the counts cannot be told, each process keeps the limit for itself.
 */
export class RequestLimit {
  private minute = 0;
  private readonly counts = new Map<string, Count>();

  constructor(private readonly shared: RequestCounts) {}

  /** Counts a request under a name. Throws RateLimitedError when the limit of this minute is used up. */
  take(name: string, limit: number, now: Date): RequestAllowance {
    this.beginMinuteOf(now);
    const count = this.counts.get(name) ?? { told: 0, own: 0 };
    this.counts.set(name, count);
    const resetSeconds = Math.max(1, Math.ceil(((this.minute + 1) * 60_000 - now.getTime()) / 1000));
    const used = count.told + count.own;
    if (used >= limit) throw new RateLimitedError(resetSeconds, 'Too many requests in this minute', limit);
    count.own++;
    return { limit, remaining: limit - used - 1, resetSeconds };
  }

  /** Tells the counts of this process, and takes over those of the others. */
  async tell(): Promise<void> {
    const { minute } = this;
    const untold = [...this.counts].filter(([, { own }]) => own > 0);
    if (untold.length === 0) return;
    const telling = new Map(untold.map(([name, { own }]) => [name, own]));
    const told = await this.shared.add(minute, telling);
    if (minute !== this.minute) return;
    for (const [name, count] of untold) {
      count.own -= telling.get(name) ?? 0;
      count.told = told.get(name) ?? count.told;
    }
  }

  /** A clock that is set back does not begin an earlier minute anew. */
  private beginMinuteOf(now: Date): void {
    const minute = minuteOf(now);
    if (minute <= this.minute) return;
    this.minute = minute;
    this.counts.clear();
  }
}
