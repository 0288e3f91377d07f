import { Backlog, Clock, Metrics, METRICS, type BacklogReading, type Metric, type Reading } from '@millrace/domain';
import { Injectable, Optional } from '@nestjs/common';
import { Pool } from 'pg';
import { InstallationReadings, type LagSeconds } from './installation-readings';
import { JobCounts } from './job-counts';
import { LeaderLease } from './leader-lease';

/**
 * Reports what concerns the whole installation. Only the process that leads does: it would otherwise be counted once for
 * each process.
 */
@Injectable()
export class InstallationMetrics {
  constructor(
    pool: Pool,
    backlog: Backlog,
    private readonly clock: Clock,
    private readonly lease: LeaderLease,
    @Optional() metrics?: Metrics,
    @Optional() jobs?: JobCounts,
  ) {
    const readings = new InstallationReadings(pool, backlog, clock);
    if (metrics) this.report(metrics, readings, jobs);
  }

  private report(metrics: Metrics, readings: InstallationReadings, jobs: JobCounts | undefined): void {
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
    ofBacklog(METRICS.runsHeldByControl, ({ held }) => held);
    ofBacklog(METRICS.runsWaitingBytes, ({ bytes }) => bytes);
    ofBacklog(METRICS.oldestWaitingRun, ({ oldest }) => (oldest ? this.secondsSince(oldest) : 0));
    ofBacklog(METRICS.backlogCounted, ({ measuredAt }) => measuredAt.getTime() / 1_000);
    ofLags(METRICS.triggerLag, ({ polls, schedules }) => [
      { labels: { kind: 'poll' }, value: polls },
      { labels: { kind: 'schedule' }, value: schedules },
    ]);
    ofLags(METRICS.eventLag, ({ events }) => events);
    jobs?.reportTo(whileLeading);
  }

  private secondsSince(moment: Date): number {
    return Math.max(0, (this.clock.now().getTime() - moment.getTime()) / 1_000);
  }
}
