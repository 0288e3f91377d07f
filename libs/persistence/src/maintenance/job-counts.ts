import { Clock, isOver, METRICS, RUN_QUEUE, type Metric, type Reading } from '@millrace/domain';
import { getQueueToken } from '@nestjs/bullmq';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { LazyJobQueue } from '../queue/lazy-job-queue';
import { LazyMaintenanceQueue } from '../queue/lazy-maintenance-queue';
import type { RunQueue } from '../queue/run-queue';

/** How long the counts of jobs are used again: counting takes longer the more jobs there are. */
const KEPT_MS = 15_000;
/** Completed jobs are left out: they only wait for their removal, and there may be hundreds of thousands. */
export const COUNTED_STATES = ['waiting', 'prioritized', 'active', 'delayed', 'failed'] as const;

interface Counted {
  getJobCounts(...states: (typeof COUNTED_STATES)[number][]): Promise<Record<string, number>>;
}

/** The jobs of both queues, by state. An app without a run queue of its own has the one that it opens late. */
@Injectable()
export class JobCounts {
  private readonly kept = new Map<Metric, { at: number; counts: Promise<Reading> }>();

  constructor(
    private readonly clock: Clock,
    @Optional() @Inject(getQueueToken(RUN_QUEUE)) private readonly runs?: RunQueue,
    @Optional() private readonly maintenance?: LazyMaintenanceQueue,
    @Optional() private readonly lateRuns?: LazyJobQueue,
  ) {}

  reportTo(report: (metric: Metric, read: () => Promise<Reading>) => void): void {
    const { runs = this.lateRuns, maintenance } = this;
    if (runs) report(METRICS.queueJobs, () => this.countsOf(METRICS.queueJobs, runs));
    if (maintenance) report(METRICS.maintenanceJobs, () => this.countsOf(METRICS.maintenanceJobs, maintenance));
  }

  private countsOf(metric: Metric, queue: Counted): Promise<Reading> {
    const now = this.clock.now().getTime();
    const kept = this.kept.get(metric);
    if (kept && !isOver(kept.at, KEPT_MS, now)) return kept.counts;
    const counts = countJobs(queue);
    this.kept.set(metric, { at: now, counts });
    return counts;
  }
}

async function countJobs(queue: Counted): Promise<Reading> {
  const counts = await queue.getJobCounts(...COUNTED_STATES);
  return COUNTED_STATES.map((state) => ({ labels: { state }, value: counts[state] ?? 0 }));
}
