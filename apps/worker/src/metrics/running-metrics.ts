import { byLabel, MAINTENANCE_QUEUE, Metrics, METRICS, RUN_QUEUE, RunMeters } from '@millrace/domain';
import { JobExecutorSettings } from '@millrace/runner';
import { Sandbox, type SandboxStats } from '@millrace/sandbox';
import { Inject, Injectable } from '@nestjs/common';
import { ExecuteFlowProcessor } from '../processors/execute-flow.processor';
import { MaintenanceJobs } from '../processors/maintenance-jobs';
import { WORKER_CONFIG, type WorkerConfig } from '../settings/config';

/** Reports what this worker does with runs, and what happens in its sandbox. */
@Injectable()
export class RunningMetrics {
  constructor(
    metrics: Metrics,
    meters: RunMeters,
    { slots }: JobExecutorSettings,
    sandbox: Sandbox,
    runs: ExecuteFlowProcessor,
    background: MaintenanceJobs,
    @Inject(WORKER_CONFIG) { SVC_WORKER_CONCURRENCY: concurrency }: WorkerConfig,
  ) {
    meters.reportExecution(metrics);
    metrics.report(METRICS.runsExecuting, () => slots.executing);
    metrics.report(METRICS.runSlots, () => concurrency);
    metrics.report(METRICS.runsHeld, () =>
      byLabel('state', [
        ['to_begin', slots.notBegun],
        ['waits', slots.withoutSlot],
      ]),
    );
    metrics.report(METRICS.jobsGivenUp, () =>
      byLabel('queue', [
        [RUN_QUEUE, runs.givenUp],
        [MAINTENANCE_QUEUE, background.givenUp],
      ]),
    );
    reportSandbox(metrics, () => sandbox.stats());
  }
}

function reportSandbox(metrics: Metrics, stats: () => SandboxStats): void {
  metrics.report(METRICS.sandboxSteps, () => stats().steps);
  metrics.report(METRICS.sandboxFailures, () => byLabel('kind', Object.entries(stats().failures)));
  metrics.report(METRICS.sandboxThreadsEnded, () => {
    const { kills, crashes } = stats();
    return byLabel('reason', Object.entries({ killed: kills, crashed: crashes }));
  });
  metrics.report(METRICS.sandboxDrops, () => byLabel('reason', Object.entries(stats().drops)));
  metrics.report(METRICS.sandboxAudits, () => stats().audits);
  metrics.report(METRICS.sandboxAuditDifferences, () => stats().auditDifferences);
  metrics.report(METRICS.sandboxBegunAgain, () => {
    const { preemptions, evictions } = stats();
    return byLabel('reason', Object.entries({ preempted: preemptions, evicted: evictions }));
  });
  metrics.report(METRICS.sandboxTasks, () => {
    const { queued, running, asleep } = stats();
    return byLabel('state', Object.entries({ queued, running, asleep }));
  });
  metrics.report(METRICS.sandboxThreads, () => {
    const { busyThreads, extraThreads } = stats();
    return byLabel('kind', Object.entries({ busy: busyThreads, extra: extraThreads }));
  });
}
