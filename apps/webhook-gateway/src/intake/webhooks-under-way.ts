import { byLabel, Durations, Metrics, METRICS, Tally } from '@millrace/domain';
import { Injectable, Optional } from '@nestjs/common';
import type { Received } from '../answers/received';

// Counts the webhooks that were read and are not stored yet, and tells when there are enough.
//
// U1. The limit is the number of webhooks that are stored in TARGET_MS at the rate that was measured last, and at least
//     LEAST. It holds while stored webhooks have waited for long. So one that is let in waits for little more than
//     TARGET_MS.
// U2. While webhooks are stored soon, there is room for BURST, because a larger group takes little longer to store.
// U3. The projects with webhooks under way share the limit. For a project that is below its share it is twice as large, so
//     the flood of one project takes no room from another.
// U4. Only stored webhooks count for the rate. Wrong ones are refused quickly, and say nothing about the database.
// U5. A webhook takes a place from when its body was read: also while its flow is looked for and its sender is checked,
//     for many may be there while the database is slow. Before that it takes none, so that slow senders take none from
//     others. Until its flow is known for the first time, it shares the places of UNKNOWN_FLOWS.

/** How long a webhook may wait behind the others that are under way. Senders give up after 5 to 10 s. */
const TARGET_MS = 500;
const LONG_WAIT_MS = TARGET_MS / 2;
const LEAST = 64;
const BURST = 4_000;
/**
 * The rate is measured over windows of at least this length, from the moment when LEAST webhooks are under way until half
 * as many are. With fewer, it shows how many arrive and not how many could be stored.
 */
const WINDOW_MS = 200;
const WEIGHT_OF_WINDOW = 0.3;

/** Stands for a project: flows that nobody has looked for yet share the limit of one. */
export const UNKNOWN_FLOWS = 'unknown';

@Injectable()
export class WebhooksUnderWay {
  /** Those in the check too. */
  private total = 0;
  private checking = 0;
  private readonly ofProjects = new Map<string, number>();
  /** Webhooks stored in a second. It begins high, so that one slow moment after a start refuses none. */
  private perSecond = (BURST * 1_000) / TARGET_MS;
  /** How long the webhook waited that was stored last. */
  private lastWaitMs = 0;
  private window: { began: number; stored: number } | null = null;

  private readonly durations = new Durations([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]);
  private readonly results = new Tally<'new_run' | 'replayed'>(['new_run', 'replayed']);

  constructor(@Optional() metrics?: Metrics) {
    metrics?.report(METRICS.webhookAccept, () => this.durations);
    metrics?.report(METRICS.webhooksAccepted, () => byLabel('result', this.results.entries()));
  }

  /** Does the work that checks a webhook before it may be stored. It has a place meanwhile. */
  async check<Checked>(projectId: string, work: () => Promise<Checked>): Promise<Checked> {
    this.checking++;
    this.takePlace(projectId);
    try {
      return await work();
    } finally {
      this.checking--;
      this.freePlace(projectId);
    }
  }

  /** Does the work that stores a webhook, and counts it meanwhile. */
  async follow(projectId: string, work: () => Promise<Received>): Promise<Received> {
    const began = performance.now();
    this.enter(projectId, began);
    let waitedMs: number | null = null;
    try {
      const received = await work();
      if ('runId' in received) {
        waitedMs = performance.now() - began;
        this.durations.add(waitedMs / 1_000);
        this.results.add(received.replayed ? 'replayed' : 'new_run');
      }
      return received;
    } finally {
      this.leave(projectId, performance.now(), waitedMs);
    }
  }

  /** Counts a webhook from `now` on, in milliseconds. */
  enter(projectId: string, now: number): void {
    this.takePlace(projectId);
    if (this.storing >= LEAST) this.window ??= { began: now, stored: 0 };
  }

  /** Counts one webhook less: it was stored after so many milliseconds, or refused (null). */
  leave(projectId: string, now: number, waitedMs: number | null): void {
    this.freePlace(projectId);
    // When none is under way, the next ones wait for nobody.
    if (this.storing === 0) this.lastWaitMs = 0;
    else if (waitedMs !== null) this.lastWaitMs = waitedMs;
    this.measure(now, waitedMs !== null);
  }

  /** Tells whether one more webhook of the project may be under way. */
  hasRoom(projectId: string): boolean {
    return this.total < LEAST || !this.isTooMany(this.ofProjects.get(projectId) ?? 0);
  }

  private isTooMany(own: number): boolean {
    const storable = (this.perSecond * TARGET_MS) / 1_000;
    const most = Math.max(LEAST, this.lastWaitMs > LONG_WAIT_MS ? storable : Math.max(BURST, storable));
    if (this.total < most) return false;
    const projects = this.ofProjects.size + (own === 0 ? 1 : 0);
    return own >= most / projects || this.total >= 2 * most;
  }

  private measure(now: number, wasStored: boolean): void {
    const { window } = this;
    if (!window) return;
    if (wasStored) window.stored++;
    const lasted = now - window.began;
    if (lasted >= WINDOW_MS) {
      const measured = (window.stored * 1_000) / lasted;
      this.perSecond += WEIGHT_OF_WINDOW * (measured - this.perSecond);
      this.window = { began: now, stored: 0 };
    }
    if (this.storing < LEAST / 2) this.window = null;
  }

  private get storing(): number {
    return this.total - this.checking;
  }

  private takePlace(projectId: string): void {
    this.total++;
    this.ofProjects.set(projectId, (this.ofProjects.get(projectId) ?? 0) + 1);
  }

  private freePlace(projectId: string): void {
    this.total--;
    const own = (this.ofProjects.get(projectId) ?? 1) - 1;
    if (own === 0) this.ofProjects.delete(projectId);
    else this.ofProjects.set(projectId, own);
  }
}
