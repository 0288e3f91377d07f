import {
  Backlog,
  Clock,
  isOver,
  Metrics,
  METRICS,
  RUN_QUEUE,
  type BacklogReading,
  type Metric,
  type Reading,
} from '@millrace/domain';
import { getQueueToken } from '@nestjs/bullmq';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { Pool } from 'pg';
import type { RunQueue } from '../queue/run-queue';
import { InstallationReadings, type LagSeconds } from './installation-readings';
import { LeaderLease } from './leader-lease';

/** How long the counts of jobs are used again: counting takes longer the more jobs there are. */
const COUNTS_KEPT_MS = 15_000;
/** Completed jobs are left out: they only wait for their removal, and there may be hundreds of thousands. */
const STATES = ['waiting', 'prioritized', 'active', 'delayed', 'failed'] as const;

/**
 * Reports what concerns the whole installation. Only the process that leads does: it would otherwise be counted once for
 * each process.
 */
@Injectable()
export class InstallationMetrics {
  private counts: Promise<Reading> | null = null;
  private countedAt = 0;

  constructor(
    pool: Pool,
    backlog: Backlog,
    private readonly clock: Clock,
    private readonly lease: LeaderLease,
    @Optional() metrics?: Metrics,
    @Optional() @Inject(getQueueToken(RUN_QUEUE)) queue?: RunQueue,
  ) {
    const readings = new InstallationReadings(pool, backlog, clock);
    if (metrics) this.report(metrics, readings, queue);
  }

  private report(metrics: Metrics, readings: InstallationReadings, queue: RunQueue | undefined): void {
    const whileLeading = (metric: Metric, read: () => Reading | Promise<Reading>): void =>
      metrics.report(metric, () => (this.lease.isHeld() ? read() : []));
    const ofLags = (metric: Metric, of: (lags: LagSeconds) => Reading): void =>
      whileLeading(metric, async () => of(await readings.lags()));
    const ofBacklog = (metric: Metric, of: (backlog: BacklogReading) => Reading): void =>
      whileLeading(metric, async () => {
        const backlog = await readings.backlog();
        return backlog ? of(backlog) : [];
      });

    metrics.report(METRICS.leader, () => Number(this.lease.isHeld()));
    ofBacklog(METRICS.runsWaiting, ({ runs }) => runs);
    ofBacklog(METRICS.runsWaitingBytes, ({ bytes }) => bytes);
    ofBacklog(METRICS.oldestWaitingRun, ({ oldest }) => (oldest ? this.secondsSince(oldest) : 0));
    ofBacklog(METRICS.backlogCounted, ({ measuredAt }) => measuredAt.getTime() / 1_000);
    ofLags(METRICS.triggerLag, ({ polls, schedules }) => [
      { labels: { kind: 'poll' }, value: polls },
      { labels: { kind: 'schedule' }, value: schedules },
    ]);
    ofLags(METRICS.eventLag, ({ events }) => events);
    if (queue) whileLeading(METRICS.queueJobs, () => this.countsOf(queue));
  }

  private secondsSince(moment: Date): number {
    return Math.max(0, (this.clock.now().getTime() - moment.getTime()) / 1_000);
  }

  private countsOf(queue: RunQueue): Promise<Reading> {
    const now = this.clock.now().getTime();
    if (this.counts === null || isOver(this.countedAt, COUNTS_KEPT_MS, now)) {
      this.countedAt = now;
      this.counts = countJobs(queue);
    }
    return this.counts;
  }
}

async function countJobs(queue: RunQueue): Promise<Reading> {
  const counts = await queue.getJobCounts(...STATES);
  return STATES.map((state) => ({ labels: { state }, value: counts[state] ?? 0 }));
}
