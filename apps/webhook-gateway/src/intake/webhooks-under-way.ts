import { byLabel, Durations, Metrics, METRICS, ServiceUnavailableError, Tally } from '@millrace/domain';
import { Injectable, Optional } from '@nestjs/common';
import type { Received } from './inbound-request';

// Refuses webhooks while more arrive than can be stored, so that those that are accepted are accepted soon.
//
// U1. The limit is the number of webhooks that were lately stored in TARGET_MS, and at least LEAST. A webhook that
//     arrives while as many are under way is refused, so that an accepted one waits for little more than TARGET_MS.
// U2. The projects with webhooks under way share the limit. A project that is below its share is refused only at twice
//     the limit, so the flood of one project does not refuse the webhooks of another.

/** How long a webhook may wait behind the others. Senders give up after 5 to 10 s. */
const TARGET_MS = 1_000;
/** A database that keeps up stores as many within some 50 ms. */
const LEAST = 256;
/**
 * The rate at which webhooks are stored is measured over windows of this length, while at least LEAST are under way.
 * With fewer, it shows how many arrive and not how many could be stored.
 */
const WINDOW_MS = 100;
const WEIGHT_OF_WINDOW = 0.3;
/** The rate that is assumed before the first measurement and after an outdated one, so that a burst is accepted. */
const BELIEVED_PER_SECOND = 4_000;
const OUTDATED_MS = 10_000;
const RETRY_AFTER_SECONDS = 2;

@Injectable()
export class WebhooksUnderWay {
  private total = 0;
  private readonly ofProjects = new Map<string, number>();
  private perSecond = BELIEVED_PER_SECOND;
  private measuredAt = -Infinity;
  private window = { began: 0, stored: 0, isBusy: false };

  private readonly durations = new Durations([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]);
  private readonly results = new Tally<'new_run' | 'replayed'>(['new_run', 'replayed']);

  constructor(@Optional() metrics?: Metrics) {
    metrics?.report(METRICS.webhookAccept, () => this.durations);
    metrics?.report(METRICS.webhooksAccepted, () => byLabel('result', this.results.entries()));
  }

  /** Does the work that stores a webhook. Rejects as `enter` throws, and as the work rejects. */
  async follow(projectId: string, work: () => Promise<Received>): Promise<Received> {
    const began = performance.now();
    this.enter(projectId, began);
    try {
      const received = await work();
      if ('runId' in received) {
        this.durations.add((performance.now() - began) / 1_000);
        this.results.add(received.replayed ? 'replayed' : 'new_run');
      }
      return received;
    } finally {
      this.leave(projectId, performance.now());
    }
  }

  /**
   * Counts a webhook from `now` on, in milliseconds. Throws ServiceUnavailableError instead when the project has too many
   * under way.
   */
  enter(projectId: string, now: number): void {
    const own = this.ofProjects.get(projectId) ?? 0;
    if (this.total >= LEAST && this.isTooMany(own, now))
      throw new ServiceUnavailableError(
        'More webhooks arrive than can be stored; try again later.',
        RETRY_AFTER_SECONDS,
      );
    this.total++;
    this.ofProjects.set(projectId, own + 1);
    if (this.total === LEAST) this.window = { began: now, stored: 0, isBusy: true };
  }

  /** Counts one webhook less: it was stored or refused. */
  leave(projectId: string, now: number): void {
    const own = (this.ofProjects.get(projectId) ?? 1) - 1;
    if (own === 0) this.ofProjects.delete(projectId);
    else this.ofProjects.set(projectId, own);
    this.total--;
    this.measure(now);
  }

  private isTooMany(own: number, now: number): boolean {
    if (now - this.measuredAt > OUTDATED_MS) this.perSecond = BELIEVED_PER_SECOND;
    const most = Math.max(LEAST, (this.perSecond * TARGET_MS) / 1_000);
    if (this.total < most) return false;
    const projects = this.ofProjects.size + (own === 0 ? 1 : 0);
    return own >= most / projects || this.total >= 2 * most;
  }

  private measure(now: number): void {
    const { window } = this;
    if (!window.isBusy) return;
    window.stored++;
    if (this.total < LEAST) {
      window.isBusy = false;
      return;
    }
    const lasted = now - window.began;
    if (lasted < WINDOW_MS) return;
    const measured = (window.stored * 1_000) / lasted;
    const isFirst = now - this.measuredAt > OUTDATED_MS;
    this.perSecond = isFirst ? measured : this.perSecond + WEIGHT_OF_WINDOW * (measured - this.perSecond);
    this.measuredAt = now;
    this.window = { began: now, stored: 0, isBusy: true };
  }
}
