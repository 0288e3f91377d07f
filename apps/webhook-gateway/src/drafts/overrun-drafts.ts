import { LRUCache } from 'lru-cache';

const MOST_FLOWS = 10_000;
const WINDOW_MS = 60_000;
const KEPT_MS = 1_000;

interface Window<Draft> {
  unproven: number;
  endsAt: number;
  /** The draft as it was last read, once the flow is overrun. */
  kept: { draft: Draft; readAt: number } | null;
}

/**
 * Bounds what requests cost that do not prove their sender. A flow that got so many of them in a minute is overrun: its
 * draft is then kept for a second, and such requests are refused by it without another read. Times are in milliseconds,
 * from a clock that never goes back.
 */
export class OverrunDrafts<Draft> {
  private readonly windows = new LRUCache<string, Window<Draft>>({ max: MOST_FLOWS });

  constructor(private readonly perMinute: number) {}

  /** The draft of an overrun flow, as it was up to a second ago. Null when it has to be read. */
  find(flowId: string, now: number): Draft | null {
    const kept = this.windowOf(flowId, now)?.kept;
    return kept && now - kept.readAt < KEPT_MS ? kept.draft : null;
  }

  /** Counts a request that proved nothing. `draft` was read for it, unless `find` had given it. */
  note(flowId: string, draft: Draft, now: number): void {
    const window = this.windowOf(flowId, now) ?? { unproven: 0, endsAt: now + WINDOW_MS, kept: null };
    window.unproven++;
    const isOverrun = window.unproven >= this.perMinute;
    if (isOverrun && window.kept?.draft !== draft) window.kept = { draft, readAt: now };
    this.windows.set(flowId, window);
  }

  private windowOf(flowId: string, now: number): Window<Draft> | undefined {
    const window = this.windows.get(flowId);
    return window && window.endsAt > now ? window : undefined;
  }
}
