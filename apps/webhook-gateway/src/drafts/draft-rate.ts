import { RateLimitedError } from '@millrace/domain';
import { LRUCache } from 'lru-cache';

const MOST_FLOWS = 10_000;
const WINDOW_MS = 60_000;

interface Window {
  used: number;
  endsAt: number;
}

/**
 * Bounds how often the draft of a flow is tried in this process. A draft runs while its flow is disabled, so its owner
 * could not stop a sender that knows the address. Times are in milliseconds, from a clock that never goes back.
 */
export class DraftRate {
  private readonly windows = new LRUCache<string, Window>({ max: MOST_FLOWS });

  constructor(private readonly perMinute: number) {}

  /** Throws RateLimitedError when the flow has no request left. An unknown flow has all of them and costs nothing. */
  assertLeft(flowId: string, now: number): void {
    const window = this.windows.get(flowId);
    const isOver = !window || window.endsAt <= now;
    if ((isOver ? 0 : window.used) < this.perMinute) return;
    const waitMs = isOver ? WINDOW_MS : window.endsAt - now;
    throw new RateLimitedError(
      Math.ceil(waitMs / 1_000),
      'Too many webhooks for the draft of this flow',
      this.perMinute,
    );
  }

  /** Counts a request. Throws as `assertLeft` does. */
  take(flowId: string, now: number): void {
    this.assertLeft(flowId, now);
    const window = this.windows.get(flowId);
    if (window && window.endsAt > now) window.used++;
    else this.windows.set(flowId, { used: 1, endsAt: now + WINDOW_MS });
  }
}
